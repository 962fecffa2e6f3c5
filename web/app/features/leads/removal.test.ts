import { ORPCError } from '@orpc/client'
import { expect, test } from 'vitest'
import { forgetRemoval, keepRemoval, keptRemoval, type Removal, removedCount, settle, takeBack } from './removal'

const removal: Removal = [
  { id: 'a', count: 10_000, at: 1_000 },
  { id: 'b', count: 10_000, at: 60_000 },
  { id: 'c', count: 5, at: 120_000 },
]

const over = new ORPCError('REMOVAL_NOT_FOUND', { message: 'over' })

test('a deletion is there after a reload, in its workspace, until the hour of each part is over or it is dismissed', () => {
  const stored = new Map<string, string>()
  const storage = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  }
  expect(keptRemoval(storage, 'w1', 0)).toBeNull()
  keepRemoval(storage, 'w1', removal)
  expect(keptRemoval(storage, 'w1', 3_600_000)).toEqual(removal)
  // Kept again as some of it comes back, it lasts no longer for that.
  keepRemoval(storage, 'w1', keptRemoval(storage, 'w1', 3_600_000) ?? [])
  expect(keptRemoval(storage, 'w1', 3_601_000)).toEqual(removal.slice(1))
  expect([keptRemoval(storage, 'w2', 2_000), keptRemoval(storage, 'w1', 3_720_000)]).toEqual([null, null])
  forgetRemoval(storage)
  expect(keptRemoval(storage, 'w1', 2_000)).toBeNull()
  stored.set('last-removal-of-leads', '{')
  expect(keptRemoval(storage, 'w1', 2_000)).toBeNull()
  const full = () => {
    throw new Error('QuotaExceededError')
  }
  expect(() => keepRemoval({ setItem: full }, 'w1', removal)).not.toThrow()
})

test('a deletion of many parts is taken back, and what is left is known after each', async () => {
  const left: number[] = []
  const restored = await takeBack(
    removal,
    async (id) => ({ restored: id === 'c' ? 4 : 10_000 }),
    (rest) => left.push(removedCount(rest)),
  )
  expect([restored, left]).toEqual([20_004, [20_005, 10_005, 10_005, 5, 5, 0]])
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
  await expect(takeBack(rest, restore, keep)).rejects.toThrow('Failed to fetch')
  expect(rest.map(({ id }) => id)).toEqual(['b', 'c'])
  expect(await takeBack(rest, restore, keep)).toBe(2)
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
  )
  await expect(taken).rejects.toBe(over)
  expect(rest).toEqual([])
})

test('what was asked back, or asked for without an answer, is no failure where it is not there', async () => {
  const parts: Removal = [
    { id: 'a', count: null, at: 0 },
    { id: 'b', count: 3, at: 0, isComingBack: true },
  ]
  const gone = async () => {
    throw over
  }
  expect(await takeBack(parts, gone, () => {})).toBe(0)
})

test('loaded anew, a part whose answer never came is looked up, and one that was asked back comes back', async () => {
  const offline = new TypeError('Failed to fetch')
  const part = { count: null, at: 5 }
  const parts: Removal = [
    { id: 'answered', count: 9, at: 5 },
    { id: 'deleted', ...part },
    { id: 'never arrived', ...part },
    { id: 'offline', ...part },
    { id: 'asked back', count: 7, at: 5, isComingBack: true },
    { id: 'back', count: 8, at: 5, isComingBack: true },
  ]
  const settled = await settle(parts, {
    find: async (id) => {
      if (id === 'offline') throw offline
      if (id === 'never arrived') throw over
      return { removed: 10_000 }
    },
    restore: async (id) => {
      if (id === 'back') throw over
      return { restored: 7 }
    },
  })
  expect(settled.restored).toBe(7)
  expect([...settled.parts]).toEqual([
    ['deleted', { id: 'deleted', count: 10_000, at: 5 }],
    ['never arrived', null],
    ['asked back', null],
    ['back', null],
  ])
})
