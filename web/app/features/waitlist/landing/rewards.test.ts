import { ACHIEVEMENT_KEYS, REFERRAL_TIERS } from '@x-automated/contract/waitlist/waitlist'
import { expect, it } from 'vitest'
import { specialRewards, tierRewards } from './rewards'

it('matches the achievements, thresholds and months that the server grants', () => {
  expect([...tierRewards, ...specialRewards].map(({ key }) => key)).toEqual(ACHIEVEMENT_KEYS)
  const referrals = ({ how }: { how: string }) => Number(how.match(/^(\d+)\+? referrals$/)?.[1])
  expect(tierRewards.map((tier) => [tier.key, referrals(tier)])).toEqual(
    REFERRAL_TIERS.map(({ key, threshold }) => [key, threshold]),
  )
  const months = (reward: string) => Number(reward.match(/^\d+/)) * (/^\d+ year/.test(reward) ? 12 : 1)
  expect(tierRewards.map(({ reward }) => months(reward))).toEqual(REFERRAL_TIERS.map((tier) => tier.months))
})
