import { beforeEach, expect, it, vi } from 'vitest'
import { readPlace } from './place-storage'
import { clearPlace, storePlace } from './stored-place'

const kept = new Map<string, string>()
const storage = {
  getItem: (key: string) => kept.get(key) ?? null,
  setItem: (key: string, value: string) => void kept.set(key, value),
  removeItem: (key: string) => void kept.delete(key),
}
beforeEach(() => {
  kept.clear()
  vi.stubGlobal('localStorage', storage)
})

const place = { email: 'ada@example.com', position: 7, referralCode: 'Ab3dE9xy' }

it('stores a place under its three keys and clears it', () => {
  storePlace(place)
  expect(Object.fromEntries(kept)).toEqual({
    waitlistEmail: 'ada@example.com',
    waitlistPosition: '7',
    waitlistReferralCode: 'Ab3dE9xy',
  })
  expect(readPlace(storage)).toEqual(place)
  clearPlace()
  expect(kept.size).toBe(0)
  expect(readPlace(storage)).toBeNull()
})

it.each([
  ['waitlistEmail', ''],
  ['waitlistPosition', 'soon'],
  ['waitlistPosition', '0'],
  ['waitlistReferralCode', ''],
])('returns null if %s is %j', (key, value) => {
  storePlace(place)
  kept.set(key, value)
  expect(readPlace(storage)).toBeNull()
})
