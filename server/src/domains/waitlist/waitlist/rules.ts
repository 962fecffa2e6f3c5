import { HOUR_MS } from '@x-automated/contract/time'
import type { HoldReason } from '@x-automated/contract/waitlist/waitlist'
import {
  ACHIEVEMENTS,
  type Achievement,
  confirmationsNeeded,
  REFERRAL_TIERS,
  REWARD_HOURS,
  VIRAL_REFERRALS,
} from '@x-automated/contract/waitlist/waitlist'
import { disposableEmailBlocklistSet } from 'disposable-email-domains-js'
import { firstInNetwork } from '../../../requests/client-address.ts'

/** The first 3 characters (1 if the local part is shorter), `***@` and the domain. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@')
  const local = email.slice(0, at)
  return `${local.slice(0, local.length < 3 ? 1 : 3)}***${email.slice(at)}`
}

/** Created once, because the package builds a new set on every call. */
const DISPOSABLE = disposableEmailBlocklistSet()

/** Whether the address belongs to a disposable email service, or one of its subdomains. */
export function isDisposable(email: string): boolean {
  const labels = email.slice(email.lastIndexOf('@') + 1).split('.')
  const domains = labels.slice(0, -1).map((_, i) => labels.slice(i).join('.'))
  return domains.some((domain) => DISPOSABLE.has(domain))
}

/** The range of an address: /24 of IPv4, /48 of IPv6; null for invalid addresses. */
export function addressRange(address: string): string | null {
  const network = firstInNetwork(address, { ipv4: 24, ipv6: 48 })
  return network && `${network.first}/${network.bits}`
}

/** A range has a burst if more than `joins` members join from it within `minutes`. Offices stay below. */
export const BURSTS = [
  { joins: 20, minutes: 10 },
  { joins: 60, minutes: 24 * 60 },
] as const

/** Why a referral is held; null: it is not. @param joinsFromRange earlier joins within the time of each of BURSTS */
export function holdReason(email: string, joinsFromRange: readonly number[]): HoldReason | null {
  if (isDisposable(email)) return 'disposable_domain'
  return BURSTS.some((burst, i) => (joinsFromRange[i] ?? 0) >= burst.joins) ? 'address_burst' : null
}

/** Members up to this position are pioneers. */
export const PIONEERS = 100
/** Countries for the global achievement. */
const GLOBAL_COUNTRIES = 3

interface ReferralCounts {
  /** Credited referrals in total. */
  alltime: number
  /** Credited referrals on the UTC day of the newest one. */
  day: number
  countries: number
}

/** Achievements that the referrals earn and that the member does not have yet. */
export function newAchievements(
  held: readonly Achievement[],
  { alltime, day, countries }: ReferralCounts,
): Achievement[] {
  const earned: Achievement[] = REFERRAL_TIERS.filter((tier) => alltime >= tier.threshold).map((tier) => tier.key)
  if (day >= VIRAL_REFERRALS) earned.push('viral')
  if (countries >= GLOBAL_COUNTRIES) earned.push('global')
  return earned.filter((achievement) => !held.includes(achievement))
}

/** Months of Pro for an achievement; 0 if it has no such reward. */
export function rewardMonths(achievement: Achievement): number {
  return REFERRAL_TIERS.find((tier) => tier.key === achievement)?.months ?? 0
}

/** A credited referral whose member has confirmed their address. */
interface Confirmation {
  confirmedAt: Date
  /** The UTC day of the credit. */
  day: string
}

/**
 * How many members have confirmed for a held reward, and when it starts; null: not enough have.
 * Viral Sensation counts the members of one day.
 */
export function rewardProgress(achievement: Achievement, all: readonly Confirmation[]) {
  const days = achievement === 'viral' ? [...new Set(all.map(({ day }) => day))] : [null]
  const ofDays = days.map((day) => all.filter((confirmation) => day === null || confirmation.day === day))
  const needed = confirmationsNeeded(achievement)
  const starts = ofDays.flatMap((some) => {
    const last = some.map(({ confirmedAt }) => confirmedAt.getTime()).sort((a, b) => a - b)[needed - 1]
    return last === undefined ? [] : [last + REWARD_HOURS * HOUR_MS]
  })
  return {
    confirmed: Math.max(0, ...ofDays.map(({ length }) => length)),
    startsAt: starts.length > 0 ? new Date(Math.min(...starts)) : null,
  }
}

/** The next tier, and how many referrals are missing; 0 after the last tier. */
export function nextReward(referralCount: number) {
  const { key, threshold } = REFERRAL_TIERS.find((tier) => referralCount < tier.threshold) ?? REFERRAL_TIERS[3]
  return { key, label: ACHIEVEMENTS[key], threshold, remaining: Math.max(0, threshold - referralCount) }
}

/** Progress over the four tiers, to one decimal. Each tier is 25 percent, and progress is linear in between. */
export function progressPercent(referralCount: number): number {
  const next = REFERRAL_TIERS.findIndex((tier) => referralCount < tier.threshold)
  if (next === -1) return 100
  const from = REFERRAL_TIERS[next - 1]?.threshold ?? 0
  const to = REFERRAL_TIERS[next]?.threshold ?? from
  const step = 100 / REFERRAL_TIERS.length
  return Math.round(10 * step * (next + (referralCount - from) / (to - from))) / 10
}
