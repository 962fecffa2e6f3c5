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
  undoneText,
  undoRemoval,
  withDeletion,
  withSettled,
} from './removal'

const removal: Removal = [
  { id: 'a', of: 'a', count: 10_000, at: 1_000 },
  { id: 'b', of: 'a', count: 10_000, at: 60_000 },
  { id: 'c', of: 'a', count: 5, at: 120_000 },
]

/** Long after the server would have run any waiting batch. */
const now = () => 1_000_000

const expired = new ORPCError('REMOVAL_NOT_FOUND', { message: 'expired' })

test('reads a requested restore that an earlier version stored', () => {
  const part = '{"id":"a","of":"a","count":3,"at":0,"isComingBack":true}'
  const stored = `{"workspaceId":"w1","removal":[${part}]}`
  expect(loadRemoval({ getItem: () => stored }, 'w1', 0)).toEqual([
    { id: 'a', of: 'a', count: 3, at: 0, isRestoring: true },
  ])
})

test('keeps a deletion across reloads of its workspace until each batch expires or it is dismissed', () => {
  const stored = new Map<string, string>()
  const storage = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  }
  expect(loadRemoval(storage, 'w1', 0)).toBeNull()
  saveRemoval(storage, 'w1', removal)
  expect(loadRemoval(storage, 'w1', 3_600_000)).toEqual(removal)
  // Saving it again does not extend the undo period.
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

test('undoes a deletion batch by batch and reports what is left after each', async () => {
  const left: number[] = []
  const back = await undoRemoval(
    removal,
    async (id) => ({ restored: id === 'c' ? 4 : 10_000 }),
    (rest) => left.push(removedCount(rest)),
    now,
  )
  expect([back, left]).toEqual([{ restored: 20_004, alreadyRestored: 0 }, [20_005, 10_005, 10_005, 5, 5, 0]])
})

test('keeps a failed batch and those after it for another try', async () => {
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
  await expect(undoRemoval(rest, restore, keep, now)).rejects.toThrow('Failed to fetch')
  expect(rest.map(({ id }) => id)).toEqual(['b', 'c'])
  expect(await undoRemoval(rest, restore, keep, now)).toEqual({ restored: 2, alreadyRestored: 0 })
  expect([rest, asked]).toEqual([[], ['a', 'b', 'b', 'c']])
})

test('skips an expired batch and throws its error at the end', async () => {
  let rest = removal
  const taken = undoRemoval(
    removal,
    async (id) => {
      if (id === 'a') throw expired
      return { restored: 1 }
    },
    (next) => {
      rest = next
    },
    now,
  )
  await expect(taken).rejects.toBe(expired)
  expect(rest).toEqual([])
})

test('does not fail if a restoring or unconfirmed batch no longer exists', async () => {
  const parts: Removal = [
    { id: 'a', of: 'a', count: null, at: 0 },
    { id: 'b', of: 'a', count: 3, at: 0, isRestoring: true },
  ]
  const restoreMissing = async () => {
    throw expired
  }
  const back = await undoRemoval(parts, restoreMissing, () => {}, now)
  expect(back).toEqual({ restored: 0, alreadyRestored: 3 })
  expect(undoneText(back)).toBe('3 leads already restored')
  expect(undoneText({ restored: 0, alreadyRestored: 1 })).toBe('1 lead already restored')
  expect(undoneText({ restored: 1, alreadyRestored: 10_000 })).toBe('1 lead restored, 10,000 restored earlier')
  expect(undoneText({ restored: 0, alreadyRestored: 0 })).toBe('0 leads restored')

  // The first was requested just now: the server may still run it.
  const left: Removal[] = []
  await undoRemoval(
    parts,
    restoreMissing,
    (rest) => left.push(rest),
    () => 60_000,
  )
  expect(left.at(-1)).toEqual([parts[0]])
})

test('does not repeat a restore that the server has rejected', async () => {
  const refused = new ORPCError('FORBIDDEN', { status: 403 })
  const refuse = async () => {
    throw refused
  }
  let rest: Removal = []
  const keep = (next: Removal) => {
    rest = next
  }
  await expect(undoRemoval(removal, refuse, keep, now)).rejects.toBe(refused)
  expect(rest).toEqual(removal)
  const asked: Removal = [{ id: 'a', of: 'a', count: 3, at: 0, isRestoring: true }]
  const { parts } = await settle(asked, { find: refuse, restore: refuse }, now)
  expect(withSettled(asked, parts)).toEqual([{ id: 'a', of: 'a', count: 3, at: 0 }])
})

test('keeps the previous deletion until a newer one is confirmed', () => {
  const part = { id: 'n', of: 'n', count: null, at: 500_000 }
  const asked = withDeletion(removal, { of: 'n', parts: [part] })
  expect(lastDeletion(asked)).toEqual({ of: 'a', parts: removal })
  // It never happened or was rejected.
  expect(withSettled(asked, new Map([['n', null]]))).toEqual(removal)
  expect(withDeletion(asked, { of: 'n', parts: [] })).toEqual(removal)
  // Meanwhile some or all of the previous one is undone.
  const back = withDeletion(asked, { of: 'a', parts: removal.slice(1) })
  expect(lastDeletion(back)?.parts).toEqual(removal.slice(1))
  expect(withDeletion(back, { of: 'a', parts: [] })).toEqual([part])
  // Once it is confirmed, the previous one is dropped, even while it is being restored.
  const known = { ...part, count: 7 }
  expect(withDeletion(asked, { of: 'n', parts: [known] })).toEqual([known])
  expect(withSettled(asked, new Map([['n', known]]))).toEqual([known])
  expect(withDeletion([known], { of: 'a', parts: removal.slice(2) })).toEqual([known])
  // Two deletions in a row lost their responses.
  const next = { id: 'm', of: 'm', count: null, at: 600_000 }
  const both = withDeletion(asked, { of: 'm', parts: [next] })
  expect(both).toEqual([...removal, part, next])
  expect(withSettled(both, new Map([['n', known]]))).toEqual([known, next])
  expect([lastDeletion([part]), lastDeletion(null)]).toEqual([null, null])
})

test('polls less and less often while a batch is unconfirmed', () => {
  const unknown: Removal = [...removal, { id: 'n', of: 'n', count: null, at: 500_000 }]
  expect([0, 40_000, 400_000].map((after) => nextPollMs(unknown, 500_000 + after))).toEqual([3_000, 10_000, 60_000])
  expect([nextPollMs(removal, 500_000), nextPollMs([], 0)]).toEqual([false, false])
})

test('after a reload, looks up unconfirmed batches and repeats requested restores', async () => {
  const offline = new TypeError('Failed to fetch')
  const part = { of: 'o', count: null, at: 5 }
  const parts: Removal = [
    { id: 'answered', of: 'o', count: 9, at: 5 },
    { id: 'deleted', ...part },
    { id: 'never arrived', ...part },
    { id: 'offline', ...part },
    { id: 'restoring', of: 'o', count: 7, at: 5, isRestoring: true },
    { id: 'back', of: 'o', count: 8, at: 5, isRestoring: true },
  ]
  const ask = {
    find: async (id: string) => {
      if (id === 'offline') throw offline
      if (id === 'never arrived') throw expired
      return { removed: 10_000 }
    },
    restore: async (id: string) => {
      if (id === 'back') throw expired
      return { restored: 7 }
    },
  }
  const settled = await settle(parts, ask, now)
  expect(settled.restored).toBe(7)
  expect([...settled.parts]).toEqual([
    ['deleted', { id: 'deleted', of: 'o', count: 10_000, at: 5 }],
    ['never arrived', null],
    ['restoring', null],
    ['back', null],
  ])
  // A batch that the server doesn't know may still be waiting there.
  const soon = await settle(parts, ask, () => 60_000)
  expect([...soon.parts.keys()]).toEqual(['deleted', 'restoring', 'back'])
})
