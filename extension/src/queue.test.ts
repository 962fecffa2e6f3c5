import { expect, test } from 'vitest'
import { createQueue } from './messenger.ts'

test('runs tasks one at a time in order, continues after a failure and rejects too many', async () => {
  const queue = createQueue(3)
  const log: string[] = []
  const work =
    (name: string, fails = false) =>
    async () => {
      log.push(`${name} begins`)
      await new Promise((resolve) => setTimeout(resolve, 1))
      log.push(`${name} ends`)
      if (fails) throw new Error(name)
      return name
    }
  const turns = [queue.run(work('a')), queue.run(work('b', true)), queue.run(work('c')), queue.run(work('d'))]
  expect(queue.run(work('e'))).toBeNull()
  const results = await Promise.allSettled(turns)
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
  expect(log).toEqual(['a', 'b', 'c', 'd'].flatMap((name) => [`${name} begins`, `${name} ends`]))
  expect(await queue.run(work('f'))).toBe('f')
})
