import type { Campaign } from '@x-automated/contract/campaigns'

type User = Pick<Campaign, 'name' | 'status' | 'totalLeadsInList'>

/** Campaigns that are named; of more there is the number. */
const NAMED_MAX = 3

/**
 * What becomes of the campaigns of a list that is to be deleted, a sentence for each kind; none for those that are over.
 * @param total how many there are, where these are not all
 */
export function campaignWarnings(campaigns: readonly User[], total = campaigns.length): string[] {
  const others = total - campaigns.length
  const active = campaigns.filter(({ status }) => status === 'active')
  const waiting = campaigns.filter(({ status }) => status === 'draft' || status === 'paused')
  const [begun, unbegun] = [true, false].map((isBegun) =>
    waiting.filter(({ totalLeadsInList }) => totalLeadsInList > 0 === isBegun),
  )
  return [
    ...say(active, 'is active and uses this list: pause it first.', 'are active and use this list: pause them first.'),
    ...say(
      begun,
      'uses this list. It keeps its messages and can go on.',
      'use this list. They keep their messages and can go on.',
    ),
    ...say(
      unbegun,
      'uses this list and was never launched. It could not be any more.',
      'use this list and were never launched. They could not be any more.',
    ),
    // What they are doing is not known here.
    ...(others > 0
      ? [
          `${others.toLocaleString('en-US')} more ${others === 1 ? 'campaign was' : 'campaigns were'} made for this list.`,
        ]
      : []),
  ]
}

function say(users: readonly User[] = [], one: string, many: string): string[] {
  if (users.length === 0) return []
  const named = users.slice(0, NAMED_MAX).map(({ name }) => `“${name}”`)
  const all = users.length > NAMED_MAX ? [...named, `${users.length - NAMED_MAX} more`] : named
  const names = new Intl.ListFormat('en', { type: 'conjunction' }).format(all)
  return [`${users.length === 1 ? 'The campaign' : 'The campaigns'} ${names} ${users.length === 1 ? one : many}`]
}
