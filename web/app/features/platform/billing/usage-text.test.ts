import { expect, it } from 'vitest'
import { usageText, usageTitle } from './usage-text'

it.each([
  [{ what: 'dms', used: 40, limit: 50 }, 'DMs', '40 of 50 DMs used this month'],
  [{ what: 'dms', used: 50, limit: 5_000 }, 'DMs', '50 of 5,000 DMs used this month'],
  [{ what: 'scrapedLeads', used: 1_200, limit: null }, 'Scraped leads', '1,200 scraped leads used this month'],
  [{ what: 'xAccounts', used: 1, limit: 1 }, 'X accounts', '1 of 1 X account connected'],
  [{ what: 'xAccounts', used: 1, limit: 3 }, 'X accounts', '1 of 3 X accounts connected'],
] as const)('describes %o', (usage, title, text) => {
  expect([usageTitle(usage), usageText(usage)]).toEqual([title, text])
})
