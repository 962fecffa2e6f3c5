import { EARLY_FROM } from '@x-automated/contract/platform/early-features'
import type { Achievement } from '@x-automated/contract/waitlist/waitlist'

interface Reward {
  key: Achievement
  name: string
  /** How to earn it. */
  how: string
  reward: string
  /** When the reward starts, as text. Null or absent if immediately. */
  from?: string | null
}

export const tierRewards: readonly Reward[] = [
  { key: 'bronze', name: 'Bronze', how: '3 referrals', reward: '1 month free premium' },
  {
    key: 'silver',
    name: 'Silver',
    how: '10 referrals',
    reward: '3 months free plus strategy session',
  },
  { key: 'gold', name: 'Gold', how: '25 referrals', reward: '6 months free plus custom templates' },
  {
    key: 'platinum',
    name: 'Platinum',
    how: '50+ referrals',
    reward: '1 year free with dedicated support',
  },
]

export const specialRewards: readonly Reward[] = [
  { key: 'pioneer', name: 'Pioneer', how: 'First 100 users', reward: 'Priority feature access', from: EARLY_FROM },
  { key: 'viral', name: 'Viral Sensation', how: '5 referrals in one day', reward: 'Exclusive AI features' },
  { key: 'global', name: 'Global Networker', how: 'Referrals from 3+ countries', reward: 'Custom X automation' },
]
