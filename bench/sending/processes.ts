import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Done, Task } from './worker.ts'

/** Runs each task in its own process, all starting together. */
export async function spread(url: string, tasks: Task[]): Promise<Done[]> {
  const children = tasks.map(() => fork(join(import.meta.dirname, 'worker.ts'), [url]))
  await Promise.all(children.map((child) => once(child, 'message')))
  return Promise.all(
    children.map(async (child, i) => {
      child.send(tasks[i] as Task)
      const [done] = (await once(child, 'message')) as [Done]
      return done
    }),
  )
}

/** Returns how many calls per second all processes made together. */
export function rateOf(done: Done[]): number {
  return done.reduce((sum, { times, seconds }) => sum + times.length / seconds, 0)
}

export function spans(times: number[]): string {
  return `p50 ${quantile(times, 0.5).toFixed(1)} p99 ${quantile(times, 0.99).toFixed(1)} ms`
}

export function quantile(values: number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))] ?? Number.NaN
}
