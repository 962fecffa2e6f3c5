import { ACHIEVEMENTS, REFERRAL_TIERS } from '@x-automated/contract/waitlist/waitlist'
import { Trophy } from 'lucide-react'
import { expect, it } from 'vitest'
import { achievementLook, achievements, inOrder } from './achievements'

it('has a name and an icon for every achievement of the contract', () => {
  expect(Object.fromEntries(Object.entries(achievements).map(([key, { name }]) => [key, name]))).toEqual(ACHIEVEMENTS)
})

it('states the thresholds of the contract', () => {
  for (const { key, threshold } of REFERRAL_TIERS) expect(achievements[key].how).toBe(`${threshold} referrals`)
})

it.each(['founder', 'constructor', '__proto__'])('shows the unknown key %j as its name, with a trophy', (key) => {
  expect(achievementLook(key)).toMatchObject({ name: key, icon: Trophy })
})

it('sorts tiers first', () => {
  expect(inOrder(['pioneer', 'founder', 'silver', 'viral', 'bronze'])).toEqual([
    'bronze',
    'silver',
    'pioneer',
    'viral',
    'founder',
  ])
})
