import type { Achievement } from '@x-automated/contract/waitlist'
import { Flame, Gem, Globe, type LucideIcon, Medal, Rocket, Trophy } from 'lucide-react'

export interface AchievementLook {
  name: string
  /** What earns it; null for a key that this page does not know. */
  how: string | null
  icon: LucideIcon
  /** The class of its colour. */
  colour: string
}

/** What each achievement is called (specification §3), what earns it (domain-rules.md), and its sign. */
export const achievements: Record<Achievement, AchievementLook> = {
  bronze: { name: 'Bronze Referrer', how: '3 referrals', icon: Medal, colour: 'text-tier-bronze' },
  silver: { name: 'Silver Referrer', how: '10 referrals', icon: Medal, colour: 'text-tier-silver' },
  gold: { name: 'Gold Referrer', how: '25 referrals', icon: Medal, colour: 'text-tier-gold' },
  platinum: { name: 'Platinum Referrer', how: '50 referrals', icon: Gem, colour: 'text-tier-platinum' },
  pioneer: { name: 'Early Pioneer', how: 'First 100 members', icon: Rocket, colour: 'text-accent-word' },
  viral: { name: 'Viral Sensation', how: '5 referrals in one day', icon: Flame, colour: 'text-accent-word' },
  global: { name: 'Global Networker', how: 'Referrals from 3+ countries', icon: Globe, colour: 'text-accent-word' },
}

const known = Object.keys(achievements)

/** Tiers first, from the lowest, then the others; keys that are not known here last. */
export function inOrder(keys: readonly string[]): string[] {
  const place = (key: string) => (known.includes(key) ? known.indexOf(key) : known.length)
  return keys.toSorted((a, b) => place(a) - place(b))
}

/** The look of an achievement. A key that is not known here is shown as it is, with a trophy (specification §3). */
export function achievementLook(key: string): AchievementLook {
  return Object.hasOwn(achievements, key)
    ? achievements[key as Achievement]
    : { name: key, how: null, icon: Trophy, colour: 'text-muted' }
}
