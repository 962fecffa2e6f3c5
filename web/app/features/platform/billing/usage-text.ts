import { formatCount, formatNumber } from '@x-automated/contract/format'
import type { Usage } from '@x-automated/contract/platform/billing'

/** For each limit: a title, a noun, and what follows the noun. */
const names: Record<Usage['what'], { title: string; one: string; used: string }> = {
  scrapedLeads: { title: 'Scraped leads', one: 'scraped lead', used: 'used this month' },
  dms: { title: 'DMs', one: 'DM', used: 'used this month' },
  xAccounts: { title: 'X accounts', one: 'X account', used: 'connected' },
}

/** The limit's name: 'Scraped leads'. */
export function usageTitle({ what }: Pick<Usage, 'what'>): string {
  return names[what].title
}

/** '40 of 50 DMs used this month'; '1,200 scraped leads used this month' if unlimited. */
export function usageText({ what, used, limit }: Pick<Usage, 'what' | 'used' | 'limit'>): string {
  const { one: singular, used: rest } = names[what]
  const of = limit === null ? '' : `${formatNumber(used)} of `
  return `${of}${formatCount(limit ?? used, singular)} ${rest}`
}
