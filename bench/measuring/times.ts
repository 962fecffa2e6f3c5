import { loadavg } from 'node:os'

/** Returns how long the work takes, in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

/** Fails the benchmark if the condition is not met. */
export function require(isMet: boolean, text: string): void {
  if (isMet) return
  console.error(`    too slow: ${text}`)
  process.exitCode = 1
}

/** Returns the machine's average load over the last minute. */
export function load(): string | undefined {
  return loadavg()[0]?.toFixed(1)
}
