import { beforeEach, expect, it, vi } from 'vitest'
import { readPlace } from './place-storage'
import { clearPlace, storePlace } from './stored-place'

const values = new Map<string, string>()
const storage = {
  getItem: (key: string) => values.get(key) ?? null,
  setItem: (key: string, value: string) => void values.set(key, value),
  removeItem: (key: string) => void values.delete(key),
}
beforeEach(() => {
  values.clear()
  vi.stubGlobal('localStorage', storage)
})

const entry = { email: 'ada@example.com', position: 7, referralCode: 'Ab3dE9xy' }

it('stores a place under its three keys and clears it', () => {
  storePlace(entry)
  expect(Object.fromEntries(values)).toEqual({
    waitlistEmail: 'ada@example.com',
    waitlistPosition: '7',
    waitlistReferralCode: 'Ab3dE9xy',
  })
  expect(readPlace(storage)).toEqual(entry)
  clearPlace()
  expect(values.size).toBe(0)
  expect(readPlace(storage)).toBeNull()
})

it.each([
  ['waitlistEmail', ''],
  ['waitlistPosition', 'soon'],
  ['waitlistPosition', '0'],
  ['waitlistReferralCode', ''],
])('returns null if %s is %j', (key, value) => {
  storePlace(entry)
  values.set(key, value)
  expect(readPlace(storage)).toBeNull()
})
