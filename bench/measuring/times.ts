import { loadavg } from 'node:os'

/** How long it takes, in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

/** Makes the benchmark fail if it was too slow. */
export function require(isMet: boolean, text: string): void {
  if (isMet) return
  console.error(`    too slow: ${text}`)
  process.exitCode = 1
}

/** The machine's load over the last minute. */
export function load(): string | undefined {
  return loadavg()[0]?.toFixed(1)
}
