import type { Achievement } from '@x-automated/contract/waitlist/waitlist'
import { Flame, Gem, Globe, type LucideIcon, Medal, Rocket, Trophy } from 'lucide-react'

interface AchievementLook {
  name: string
  /** How to earn it; null for unknown keys. */
  how: string | null
  icon: LucideIcon
  /** A class for its color. */
  color: string
}

/** Each achievement's name, condition and icon. */
export const achievements: Record<Achievement, AchievementLook> = {
  bronze: { name: 'Bronze Referrer', how: '3 referrals', icon: Medal, color: 'text-tier-bronze' },
  silver: { name: 'Silver Referrer', how: '10 referrals', icon: Medal, color: 'text-tier-silver' },
  gold: { name: 'Gold Referrer', how: '25 referrals', icon: Medal, color: 'text-tier-gold' },
  platinum: { name: 'Platinum Referrer', how: '50 referrals', icon: Gem, color: 'text-tier-platinum' },
  pioneer: { name: 'Early Pioneer', how: 'First 100 members', icon: Rocket, color: 'text-accent-word' },
  viral: { name: 'Viral Sensation', how: '5 referrals in one day', icon: Flame, color: 'text-accent-word' },
  global: { name: 'Global Networker', how: 'Referrals from 3+ countries', icon: Globe, color: 'text-accent-word' },
}

const order = Object.keys(achievements)

/** Sorts achievements: tiers first, ascending, then the others. Unknown keys come last. */
export function inOrder(keys: readonly string[]): string[] {
  const rank = (key: string) => (order.includes(key) ? order.indexOf(key) : order.length)
  return keys.toSorted((a, b) => rank(a) - rank(b))
}

/** How to display an achievement. Unknown keys are displayed as they are, with a trophy icon. */
export function achievementLook(key: string): AchievementLook {
  return Object.hasOwn(achievements, key)
    ? achievements[key as Achievement]
    : { name: key, how: null, icon: Trophy, color: 'text-muted' }
}
