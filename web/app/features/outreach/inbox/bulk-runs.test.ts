import { beforeEach, expect, test, vi } from 'vitest'
import { type BulkRun, bulkRunText, createBulkRuns, secondsLeft, stoppedText } from './bulk-runs'

const many = 25_000
let workspaceId: string
let runs: ReturnType<typeof createBulkRuns>
/** The text shown after each change. */
let seen: string[]
beforeEach(() => {
  // Node has no window to tell.
  vi.stubGlobal('dispatchEvent', () => true)
  workspaceId = 'w1'
  runs = createBulkRuns({ workspaceId: () => workspaceId, now: () => 0 })
  seen = []
  runs.subscribe(() => seen.push(runs.all().map(bulkRunText).join()))
})

/** Returns three batches and calls `during` within each. */
const call = (during: (batch: number) => void = () => {}) => {
  let batch = 0
  return async () => {
    batch += 1
    during(batch)
    return { batch, cursor: batch < 3 ? `after ${batch}` : null }
  }
}

test('shows progress until the run ends', async () => {
  const batches: number[] = []
  const end = await runs.runParts(many, [{}], call(), ({ batch }) => batches.push(batch))
  expect(end).toEqual({ done: 25_000, total: 25_000, isStopped: false })
  expect(batches).toEqual([1, 2, 3])
  expect(seen).toEqual([
    'Changing conversations… 0 of 25,000',
    'Changing conversations… 10,000 of 25,000',
    'Changing conversations… 20,000 of 25,000',
    '',
  ])
})

test('stops after the current batch and reports what was done', async () => {
  const batches: number[] = []
  const stop = (batch: number) => batch === 2 && runs.stop(runs.all()[0]!.id)
  const end = await runs.runParts(many, [{}], call(stop), ({ batch }) => batches.push(batch))
  expect([end, batches]).toEqual([{ done: 20_000, total: 25_000, isStopped: true }, [1, 2]])
  expect(seen).toContain('Stopping… 10,000 of 25,000')
  expect(stoppedText(end)).toBe('Stopped at 20,000 of 25,000. Finished changes are kept.')
})

test('shows a run of unknown length from its second call on', async () => {
  const end = await runs.runParts(null, [{}], call(), () => {})
  expect(end).toMatchObject({ total: null, isStopped: false })
  expect(seen).toEqual([
    'Changing conversations… 0',
    'Changing conversations… 10,000',
    'Changing conversations… 20,000',
    '',
  ])
})

test('never continues in another workspace', async () => {
  const batches: number[] = []
  const move = () => {
    workspaceId = 'w2'
  }
  expect(await runs.runParts(many, [{}], call(move), ({ batch }) => batches.push(batch))).toMatchObject({
    isStopped: true,
  })
  expect(batches).toEqual([1])
})

test('removes a failed run, and never shows a run that takes one call', async () => {
  const fail = (batch: number) => {
    if (batch === 2) throw new Error('gone')
  }
  await expect(runs.runParts(many, [{}], call(fail), () => {})).rejects.toThrow('gone')
  expect(runs.all()).toEqual([])
  seen.length = 0
  const one = async () => ({ cursor: null })
  expect(await runs.runParts(1, [{}], one, () => {})).toMatchObject({ done: 1, isStopped: false })
  expect(seen).toEqual([])
})

test('estimates the time left from the speed so far', () => {
  const run: BulkRun = {
    id: 1,
    done: 0,
    total: 40_000,
    isStopping: false,
    workspaceId: 'w1',
    startedAt: 1_000,
  }
  expect(secondsLeft(run, 5_000)).toBeNull()
  expect(secondsLeft({ ...run, done: 10_000 }, 5_000)).toBe(12)
})
