import { ORPCError } from '@orpc/client'
import { expect, test } from 'vitest'
import {
  clearRemoval,
  lastDeletion,
  loadRemoval,
  nextPollMs,
  type Removal,
  removedCount,
  saveRemoval,
  settle,
  takeBack,
  undoneText,
  withDeletion,
  withSettled,
} from './removal'

const removal: Removal = [
  { id: 'a', of: 'a', count: 10_000, at: 1_000 },
  { id: 'b', of: 'a', count: 10_000, at: 60_000 },
  { id: 'c', of: 'a', count: 5, at: 120_000 },
]

/** Long after a part may still be waiting at the server. */
const now = () => 1_000_000

const over = new ORPCError('REMOVAL_NOT_FOUND', { message: 'over' })

test('a deletion is there after a reload, in its workspace, until the hour of each part is over or it is dismissed', () => {
  const stored = new Map<string, string>()
  const storage = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  }
  expect(loadRemoval(storage, 'w1', 0)).toBeNull()
  saveRemoval(storage, 'w1', removal)
  expect(loadRemoval(storage, 'w1', 3_600_000)).toEqual(removal)
  // KeyValueStorage again as some of it comes back, it lasts no longer for that.
  saveRemoval(storage, 'w1', loadRemoval(storage, 'w1', 3_600_000) ?? [])
  expect(loadRemoval(storage, 'w1', 3_601_000)).toEqual(removal.slice(1))
  expect([loadRemoval(storage, 'w2', 2_000), loadRemoval(storage, 'w1', 3_720_000)]).toEqual([null, null])
  clearRemoval(storage)
  expect(loadRemoval(storage, 'w1', 2_000)).toBeNull()
  stored.set('last-removal-of-leads', '{')
  expect(loadRemoval(storage, 'w1', 2_000)).toBeNull()
  const full = () => {
    throw new Error('QuotaExceededError')
  }
  expect(() => saveRemoval({ setItem: full }, 'w1', removal)).not.toThrow()
})

test('a deletion of many parts is taken back, and what is left is known after each', async () => {
  const left: number[] = []
  const back = await takeBack(
    removal,
    async (id) => ({ restored: id === 'c' ? 4 : 10_000 }),
    (rest) => left.push(removedCount(rest)),
    now,
  )
  expect([back, left]).toEqual([{ restored: 20_004, wereBack: 0 }, [20_005, 10_005, 10_005, 5, 5, 0]])
})

test('where a part fails, it and those behind it can be asked for again', async () => {
  let rest = removal
  const once = new Set(['b'])
  const asked: string[] = []
  const restore = async (id: string) => {
    asked.push(id)
    if (once.delete(id)) throw new TypeError('Failed to fetch')
    return { restored: 1 }
  }
  const keep = (next: Removal) => {
    rest = next
  }
  await expect(takeBack(rest, restore, keep, now)).rejects.toThrow('Failed to fetch')
  expect(rest.map(({ id }) => id)).toEqual(['b', 'c'])
  expect(await takeBack(rest, restore, keep, now)).toEqual({ restored: 2, wereBack: 0 })
  expect([rest, asked]).toEqual([[], ['a', 'b', 'b', 'c']])
})

test('a part that is over holds up nobody, and is told in the end', async () => {
  let rest = removal
  const taken = takeBack(
    removal,
    async (id) => {
      if (id === 'a') throw over
      return { restored: 1 }
    },
    (next) => {
      rest = next
    },
    now,
  )
  await expect(taken).rejects.toBe(over)
  expect(rest).toEqual([])
})

test('what was asked back, or asked for without an answer, is no failure where it is not there', async () => {
  const parts: Removal = [
    { id: 'a', of: 'a', count: null, at: 0 },
    { id: 'b', of: 'a', count: 3, at: 0, isComingBack: true },
  ]
  const gone = async () => {
    throw over
  }
  const back = await takeBack(parts, gone, () => {}, now)
  expect(back).toEqual({ restored: 0, wereBack: 3 })
  expect(undoneText(back)).toBe('3 leads are back already')
  expect(undoneText({ restored: 0, wereBack: 1 })).toBe('1 lead is back already')
  expect(undoneText({ restored: 1, wereBack: 10_000 })).toBe('1 lead restored, 10,000 were back already')
  expect(undoneText({ restored: 0, wereBack: 0 })).toBe('0 leads restored')

  // The first was asked for just now: the server may still come to it.
  const left: Removal[] = []
  await takeBack(
    parts,
    gone,
    (rest) => left.push(rest),
    () => 60_000,
  )
  expect(left.at(-1)).toEqual([parts[0]])
})

test('what the server refuses to bring back does not come back unasked', async () => {
  const refused = new ORPCError('FORBIDDEN', { status: 403 })
  const refuse = async () => {
    throw refused
  }
  let rest: Removal = []
  const keep = (next: Removal) => {
    rest = next
  }
  await expect(takeBack(removal, refuse, keep, now)).rejects.toBe(refused)
  expect(rest).toEqual(removal)
  const asked: Removal = [{ id: 'a', of: 'a', count: 3, at: 0, isComingBack: true }]
  const { parts } = await settle(asked, { find: refuse, restore: refuse }, now)
  expect(withSettled(asked, parts)).toEqual([{ id: 'a', of: 'a', count: 3, at: 0 }])
})

test('the deletion before can be taken back until it is known that there is a newer one', () => {
  const part = { id: 'n', of: 'n', count: null, at: 500_000 }
  const asked = withDeletion(removal, { of: 'n', parts: [part] })
  expect(lastDeletion(asked)).toEqual({ of: 'a', parts: removal })
  // It was never gone, or refused.
  expect(withSettled(asked, new Map([['n', null]]))).toEqual(removal)
  expect(withDeletion(asked, { of: 'n', parts: [] })).toEqual(removal)
  // Some of the one before is taken back meanwhile, or all of it.
  const back = withDeletion(asked, { of: 'a', parts: removal.slice(1) })
  expect(lastDeletion(back)?.parts).toEqual(removal.slice(1))
  expect(withDeletion(back, { of: 'a', parts: [] })).toEqual([part])
  // It is known by its answer, or by what is asked later: the one before is over, also where some of it still comes back.
  const known = { ...part, count: 7 }
  expect(withDeletion(asked, { of: 'n', parts: [known] })).toEqual([known])
  expect(withSettled(asked, new Map([['n', known]]))).toEqual([known])
  expect(withDeletion([known], { of: 'a', parts: removal.slice(2) })).toEqual([known])
  // Two in a row whose answers were lost.
  const next = { id: 'm', of: 'm', count: null, at: 600_000 }
  const both = withDeletion(asked, { of: 'm', parts: [next] })
  expect(both).toEqual([...removal, part, next])
  expect(withSettled(both, new Map([['n', known]]))).toEqual([known, next])
  expect([lastDeletion([part]), lastDeletion(null)]).toEqual([null, null])
})

test('it is asked again, ever more seldom, while nobody has told of a part', () => {
  const unknown: Removal = [...removal, { id: 'n', of: 'n', count: null, at: 500_000 }]
  expect([0, 40_000, 400_000].map((after) => nextPollMs(unknown, 500_000 + after))).toEqual([3_000, 10_000, 60_000])
  expect([nextPollMs(removal, 500_000), nextPollMs([], 0)]).toEqual([false, false])
})

test('loaded anew, a part whose answer never came is looked up, and one that was asked back comes back', async () => {
  const offline = new TypeError('Failed to fetch')
  const part = { of: 'o', count: null, at: 5 }
  const parts: Removal = [
    { id: 'answered', of: 'o', count: 9, at: 5 },
    { id: 'deleted', ...part },
    { id: 'never arrived', ...part },
    { id: 'offline', ...part },
    { id: 'asked back', of: 'o', count: 7, at: 5, isComingBack: true },
    { id: 'back', of: 'o', count: 8, at: 5, isComingBack: true },
  ]
  const ask = {
    find: async (id: string) => {
      if (id === 'offline') throw offline
      if (id === 'never arrived') throw over
      return { removed: 10_000 }
    },
    restore: async (id: string) => {
      if (id === 'back') throw over
      return { restored: 7 }
    },
  }
  const settled = await settle(parts, ask, now)
  expect(settled.restored).toBe(7)
  expect([...settled.parts]).toEqual([
    ['deleted', { id: 'deleted', of: 'o', count: 10_000, at: 5 }],
    ['never arrived', null],
    ['asked back', null],
    ['back', null],
  ])
  // What the server knows nothing of may be waiting for its turn there.
  const soon = await settle(parts, ask, () => 60_000)
  expect([...soon.parts.keys()]).toEqual(['deleted', 'asked back', 'back'])
})
