import type { Usage } from '@x-automated/contract/billing'
import { formatNumber } from '@x-automated/contract/format'

/** Each limit's title, and its phrase after a number. */
const names: Record<Usage['what'], { title: string; used: string }> = {
  scrapedLeads: { title: 'Scraped leads', used: 'scraped leads used this month' },
  dms: { title: 'DMs', used: 'DMs used this month' },
  xAccounts: { title: 'X accounts', used: 'X accounts connected' },
}

export function usageTitle({ what }: Pick<Usage, 'what'>): string {
  return names[what].title
}

/** '40 of 50 DMs used this month'; '1,200 scraped leads used this month' if unlimited. */
export function usageText({ what, used, limit }: Pick<Usage, 'what' | 'used' | 'limit'>): string {
  const of = limit === null ? '' : ` of ${formatNumber(limit)}`
  return `${formatNumber(used)}${of} ${names[what].used}`
}
