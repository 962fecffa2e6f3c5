import { beforeEach, expect, test } from 'vitest'
import { type BulkRun, bulkRunText, createBulkRuns, runAndSum, secondsLeft, stoppedText } from './bulk-runs'

const many = { matching: { status: 'not_sent' as const }, count: 25_000 }
let workspaceId: string
let runs: ReturnType<typeof createBulkRuns>
/** What could be seen, at each change. */
let seen: string[]
beforeEach(() => {
  workspaceId = 'w1'
  runs = createBulkRuns({ workspaceId: () => workspaceId, now: () => 0 })
  seen = []
  runs.watch(() => seen.push(runs.all().map(bulkRunText).join()))
})

/** Three parts; `during` happens while the one of that number is under way. */
const call = (during: (part: number) => void = () => {}) => {
  let part = 0
  return async () => {
    part += 1
    during(part)
    return { part, cursor: part < 3 ? `behind ${part}` : null }
  }
}

test('it is seen how far it is, until it is over', async () => {
  const parts: number[] = []
  const end = await runs.run('Deleting', many, call(), ({ part }) => parts.push(part))
  expect(end).toEqual({ done: 25_000, total: 25_000, isStopped: false })
  expect(parts).toEqual([1, 2, 3])
  expect(seen).toEqual(['Deleting… 0 of 25,000', 'Deleting… 10,000 of 25,000', 'Deleting… 20,000 of 25,000', ''])
})

test('stopped, it ends behind the part that is under way, and what was done is known', async () => {
  const parts: number[] = []
  const stop = (part: number) => part === 2 && runs.stop(runs.all()[0]!.id)
  const end = await runs.run('Deleting', many, call(stop), ({ part }) => parts.push(part))
  expect([end, parts]).toEqual([{ done: 20_000, total: 25_000, isStopped: true }, [1, 2]])
  expect(seen).toContain('Stopping… 10,000 of 25,000')
  expect(stoppedText(end)).toBe('Stopped after about 20,000 of 25,000 leads. What is done stays done.')
})

test('it never goes on in another workspace', async () => {
  const parts: number[] = []
  const move = () => {
    workspaceId = 'w2'
  }
  expect(await runs.run('Deleting', many, call(move), ({ part }) => parts.push(part))).toMatchObject({
    isStopped: true,
  })
  expect(parts).toEqual([1])
})

test('where a part fails nothing is under way any more; what takes one call is never shown', async () => {
  const fail = (part: number) => {
    if (part === 2) throw new Error('gone')
  }
  await expect(runs.run('Deleting', many, call(fail), () => {})).rejects.toThrow('gone')
  expect(runs.all()).toEqual([])
  seen.length = 0
  const one = async () => ({ cursor: null })
  expect(await runs.run('Deleting', { ids: ['a'] }, one, () => {})).toMatchObject({ done: 1, isStopped: false })
  expect(seen).toEqual([])
})

test('what parts did is added up, and said where a later one fails', async () => {
  const partly: number[] = []
  const sum = (failAt: number) =>
    runAndSum(
      'Queueing',
      many,
      call((part) => {
        if (part === failAt) throw new Error('gone')
      }),
      () => 10,
      (done) => partly.push(done),
    )
  expect([await sum(0), partly]).toEqual([{ sum: 30, isStopped: false }, []])
  await expect(sum(3)).rejects.toThrow('gone')
  await expect(sum(1)).rejects.toThrow('gone')
  expect(partly).toEqual([20])
})

test('the rest takes as long as what was done did', () => {
  const run: BulkRun = {
    id: 1,
    doing: 'Deleting',
    done: 0,
    total: 40_000,
    isStopping: false,
    workspaceId: 'w1',
    startedAt: 1_000,
  }
  expect(secondsLeft(run, 5_000)).toBeNull()
  expect(secondsLeft({ ...run, done: 10_000 }, 5_000)).toBe(12)
})
