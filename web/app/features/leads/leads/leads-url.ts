import type { ContactBasis, LeadFilter, LeadSort } from '@x-automated/contract/leads/leads'
import type { LeadFilterStatus } from './lead-status'

export const statusLabels: Record<LeadFilterStatus, string> = {
  not_sent: 'Not sent',
  queued: 'Queued',
  sent: 'Sent',
  failed: 'Failed',
  replied: 'Replied',
}

export const basisLabels: Record<ContactBasis, string> = {
  asked: 'Asked for it',
  wrote_first: 'Messaged you first',
  customer: 'Customer',
  none: 'None recorded',
}

export const sortLabels: Record<LeadSort, string> = {
  '-createdAt': 'Newest first',
  createdAt: 'Oldest first',
  name: 'Name, A to Z',
  '-name': 'Name, Z to A',
  twitterHandle: 'Handle, A to Z',
  '-twitterHandle': 'Handle, Z to A',
  bio: 'Bio, A to Z',
  '-bio': 'Bio, Z to A',
  '-followerCount': 'Most followers first',
  followerCount: 'Fewest followers first',
  dmStatus: 'Status, A to Z',
  '-dmStatus': 'Status, Z to A',
}
export const NEWEST_FIRST: LeadSort = '-createdAt'

/** The state of the Leads page that its URL stores. */
export interface LeadsView {
  filter: LeadFilter
  sort: LeadSort
  page: number
}

/** The highest bound for follower counts that the API accepts. */
export const FOLLOWERS_MAX = 1_000_000_000

/** Parses a follower count that a user typed ('12,500', ' 300 '); undefined if it is not a number. */
export function parseFollowerCount(typed: string): number | undefined {
  const digits = typed.replace(/[\s,.'_]/g, '')
  return /^\d{1,15}$/.test(digits) ? Math.min(Number(digits), FOLLOWERS_MAX) : undefined
}

/** Makes a keyword acceptable to the API: without NUL, and never cut within an emoji. */
export function parseKeyword(typed: string | null, max: number): string | undefined {
  const keyword = typed?.replaceAll('\0', '').trim().slice(0, max)
  return keyword?.replace(/[\uD800-\uDBFF]$/, '') || undefined
}

/** Whether the filter has any criteria. */
export function isFiltered(filter: LeadFilter): boolean {
  return Object.values(filter).some((value) => value !== undefined)
}

/** A view's URL parameters, without defaults. */
export function toLeadsParams({ scrapeId, listId, ...filter }: LeadFilter, page = 1, sort = NEWEST_FIRST) {
  return paramsOf({
    ...textsOf(filter),
    scrape: scrapeId,
    list: listId,
    sort: sort === NEWEST_FIRST ? undefined : sort,
    page: page > 1 ? page : undefined,
  })
}

/** The query of GET /leads and GET /leads/export for a filter. */
export function filterQuery(filter: LeadFilter): URLSearchParams {
  return paramsOf(textsOf(filter))
}

/** A filter's fields as strings for a query. */
function textsOf({ tags, fields, rules, ...plain }: LeadFilter) {
  return {
    ...plain,
    tags: tags?.join(),
    fields: fields && JSON.stringify(fields),
    rules: rules && JSON.stringify(rules),
  }
}

function paramsOf(values: Record<string, string | number | undefined>): URLSearchParams {
  return new URLSearchParams(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  )
}
