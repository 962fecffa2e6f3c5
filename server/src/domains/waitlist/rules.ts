import type { HoldReason } from '@x-automated/contract/operator'
import { ACHIEVEMENTS, type Achievement, REFERRAL_TIERS } from '@x-automated/contract/waitlist'
import { disposableEmailBlocklistSet } from 'disposable-email-domains-js'
import { firstInNetwork } from '../../requests/client-address.ts'

/** What a provider makes one mailbox of. `+tag` is dropped by all of these; `dots` where they do not count either. */
const PROVIDERS: { domains: string[]; dots?: true }[] = [
  // https://support.google.com/mail/answer/7436150; googlemail.com is the same mailbox.
  { domains: ['gmail.com', 'googlemail.com'], dots: true },
  { domains: ['outlook.com', 'hotmail.com', 'live.com', 'msn.com'] },
  { domains: ['icloud.com', 'me.com', 'mac.com'] },
  { domains: ['proton.me', 'protonmail.com', 'pm.me'] },
  { domains: ['fastmail.com', 'fastmail.fm'] },
  { domains: ['yandex.com', 'yandex.ru', 'ya.ru'] },
  { domains: ['zoho.com', 'zohomail.com'] },
  { domains: ['tutanota.com', 'tuta.com'] },
  { domains: ['mailbox.org'] },
  { domains: ['posteo.de'] },
  { domains: ['hey.com'] },
]
/** Domains at which the same local part is the same mailbox as at the first one. */
const SAME_MAILBOX: Record<string, string> = {
  'googlemail.com': 'gmail.com',
  'me.com': 'icloud.com',
  'mac.com': 'icloud.com',
  'protonmail.com': 'proton.me',
  'pm.me': 'proton.me',
  'yandex.ru': 'yandex.com',
  'ya.ru': 'yandex.com',
}
const RULES = new Map(PROVIDERS.flatMap(({ domains, dots }) => domains.map((domain) => [domain, { dots }] as const)))

/**
 * The mailbox that an address reaches, so that one person has one place: lower case, without what its provider ignores.
 * Addresses of other providers are only lowered, as they may tell `a.b` and `a+b` apart.
 */
export function normalizeEmail(email: string): string {
  const lower = email.trim().toLowerCase()
  const at = lower.lastIndexOf('@')
  const domain = lower.slice(at + 1)
  const rule = RULES.get(domain)
  if (!rule) return lower
  const untagged = lower.slice(0, at).replace(/(?<=.)\+.*$/, '')
  const local = rule.dots ? untagged.replaceAll('.', '') : untagged
  return `${local}@${SAME_MAILBOX[domain] ?? domain}`
}

/** First 3 characters of the local part, `***@`, domain; of a shorter local part its first character (domain-rules.md). */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@')
  const local = email.slice(0, at)
  return `${local.slice(0, local.length < 3 ? 1 : 3)}***${email.slice(at)}`
}

/** Made once: the package makes the set anew at each call. */
const DISPOSABLE = disposableEmailBlocklistSet()

/** Is the address at a domain, or below one, that gives out throw-away mailboxes? */
export function isDisposable(email: string): boolean {
  const labels = email.slice(email.lastIndexOf('@') + 1).split('.')
  const domains = labels.slice(0, -1).map((_, i) => labels.slice(i).join('.'))
  return domains.some((domain) => DISPOSABLE.has(domain))
}

/** The range that an address belongs to, as one network has it: /24 of IPv4, /48 of IPv6. @returns null for what is no address */
export function addressRange(address: string): string | null {
  const network = firstInNetwork(address, { ipv4: 24, ipv6: 48 })
  return network && `${network.first}/${network.bits}`
}

/** More referred joins than this, from one range within these minutes, are a burst. An office that joins together stays below the first. */
export const BURSTS = [
  { joins: 20, minutes: 10 },
  { joins: 60, minutes: 24 * 60 },
] as const

/** @param joinsFromRange joins before this one, in the time of each of BURSTS */
export function holdReason(email: string, joinsFromRange: readonly number[]): HoldReason | null {
  if (isDisposable(email)) return 'disposable_domain'
  return BURSTS.some((burst, i) => (joinsFromRange[i] ?? 0) >= burst.joins) ? 'address_burst' : null
}

/** The first so many members are pioneers. */
export const PIONEERS = 100
/** Referrals in one UTC day that make a member viral, and countries that make one global (specification §9). */
const VIRAL_REFERRALS = 5
const GLOBAL_COUNTRIES = 3

interface Standing {
  /** Credited referrals of all time, and of the UTC day of the newest. */
  alltime: number
  day: number
  countries: number
}

/** What a member has earned by referrals and does not have yet. */
export function newAchievements(held: readonly Achievement[], { alltime, day, countries }: Standing): Achievement[] {
  const earned: Achievement[] = REFERRAL_TIERS.filter((tier) => alltime >= tier.threshold).map((tier) => tier.key)
  if (day >= VIRAL_REFERRALS) earned.push('viral')
  if (countries >= GLOBAL_COUNTRIES) earned.push('global')
  return earned.filter((achievement) => !held.includes(achievement))
}

/** Months of Pro that come with an achievement; 0 for those without a reward of that kind. */
export function rewardMonths(achievement: Achievement): number {
  return REFERRAL_TIERS.find((tier) => tier.key === achievement)?.months ?? 0
}

/** The next tier and the distance to it, 0 from the last one on (specification §9). */
export function nextReward(referralCount: number) {
  const { key, threshold } = REFERRAL_TIERS.find((tier) => referralCount < tier.threshold) ?? REFERRAL_TIERS[3]
  return { key, label: ACHIEVEMENTS[key], threshold, remaining: Math.max(0, threshold - referralCount) }
}

/** 25, 50, 75 and 100 at the four tiers, straight lines between, to one decimal (specification §9). */
export function progressPercent(referralCount: number): number {
  const next = REFERRAL_TIERS.findIndex((tier) => referralCount < tier.threshold)
  if (next === -1) return 100
  const from = REFERRAL_TIERS[next - 1]?.threshold ?? 0
  const to = REFERRAL_TIERS[next]?.threshold ?? from
  const step = 100 / REFERRAL_TIERS.length
  return Math.round(10 * step * (next + (referralCount - from) / (to - from))) / 10
}
