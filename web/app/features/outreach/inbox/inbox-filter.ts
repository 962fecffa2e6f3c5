import { REPLY_LABELS, type ReplyLabel } from '@x-automated/contract/leads/leads'
import { CONVERSATION_STATUSES, type Filter } from '@x-automated/contract/outreach/conversations'
import { parseKeyword } from '../../leads/leads/leads-url'

/** The filter of the inbox's list. */
export type InboxFilter = Filter

/** Names of the fields in the URL. */
const NAMES = {
  label: 'label',
  tag: 'tag',
  assigneeId: 'assignee',
  xAccountId: 'account',
  campaignId: 'campaign',
  q: 'q',
} as const satisfies Partial<Record<keyof Filter, string>>
/** Maximum text lengths that the API accepts. */
const TEXT_MAX = { q: 200, tag: 100 } as const
const FIELDS = Object.keys(NAMES) as (keyof typeof NAMES)[]

/** The filter in the URL. Without a status, it matches open conversations or, in a search, any status. */
export function filterOf(params: URLSearchParams): InboxFilter {
  const requested = CONVERSATION_STATUSES.find((status) => status === params.get('status'))
  const status = requested ?? (parseKeyword(params.get('q'), TEXT_MAX.q) ? undefined : 'open')
  const filter: InboxFilter = { ...(status && { status }) }
  for (const field of FIELDS) {
    const text = params.get(NAMES[field])
    const value = field === 'q' || field === 'tag' ? parseKeyword(text, TEXT_MAX[field]) : text
    if (!value) continue
    if (field !== 'label') filter[field] = value
    else if ((REPLY_LABELS as readonly string[]).includes(value)) filter.label = value as ReplyLabel
  }
  return filter
}

/** The URL's query after changing the filter. */
export function withFilter(params: URLSearchParams, change: Partial<InboxFilter>): URLSearchParams {
  const next = new URLSearchParams(params)
  const set = (name: string, value: string | undefined) => (value ? next.set(name, value) : next.delete(name))
  if ('status' in change) set('status', change.status === 'open' && !next.get('q') ? undefined : change.status)
  for (const field of FIELDS) if (field in change) set(NAMES[field], change[field])
  return next
}

/** How many fields narrow the list, not counting status and search. */
export function narrowedBy({ label, tag, assigneeId, xAccountId, campaignId }: InboxFilter): number {
  return [label, tag, assigneeId, xAccountId, campaignId].filter((value) => value !== undefined).length
}
