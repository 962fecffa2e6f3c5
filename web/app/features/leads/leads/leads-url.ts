import type { ContactBasis, LeadFilter, LeadSort } from '@x-automated/contract/leads/leads'
import type { LeadFilterStatus } from './lead-status'

export const LEADS_PER_PAGE = 10

export const statusLabels: Record<LeadFilterStatus, string> = {
  not_sent: 'Not sent',
  queued: 'Queued',
  sent: 'Sent',
  failed: 'Failed',
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

/** The state of the Leads page, as its URL has it. */
export interface LeadsView {
  filter: LeadFilter
  sort: LeadSort
  page: number
}

/** The API's highest bound. */
export const FOLLOWERS_MAX = 1_000_000_000

/** Parses a typed follower count ('12,500', ' 300 '); undefined if it is not a number. */
export function parseFollowerCount(typed: string): number | undefined {
  const digits = typed.replace(/[\s,.'_]/g, '')
  return /^\d{1,15}$/.test(digits) ? Math.min(Number(digits), FOLLOWERS_MAX) : undefined
}

/** A search keyword as the API accepts it: without NUL, and never cut in the middle of an emoji. */
export function parseKeyword(typed: string | null, max: number): string | undefined {
  const keyword = typed?.replaceAll('\0', '').trim().slice(0, max)
  return keyword?.replace(/[\uD800-\uDBFF]$/, '') || undefined
}

/** Reads the page's URL parameters. Invalid ones are ignored. */
export function parseLeadsParams(params: URLSearchParams): LeadsView {
  const keyword = parseKeyword(params.get('keyword'), 200)
  const minFollowers = parseFollowerCount(params.get('minFollowers') ?? '')
  const maxFollowers = parseFollowerCount(params.get('maxFollowers') ?? '')
  const status = params.get('status')
  const scrapeId = params.get('scrape')?.slice(0, 200)
  const listId = params.get('list')?.slice(0, 200)
  const tag = parseKeyword(params.get('tag'), 100)
  const basis = params.get('basis')
  const sort = params.get('sort') ?? ''
  const page = params.get('page') ?? ''
  return {
    filter: {
      ...(keyword ? { keyword } : {}),
      ...(minFollowers === undefined ? {} : { minFollowers }),
      ...(maxFollowers === undefined ? {} : { maxFollowers }),
      ...(status !== null && Object.hasOwn(statusLabels, status) ? { status: status as LeadFilterStatus } : {}),
      ...(scrapeId ? { scrapeId } : {}),
      ...(listId ? { listId } : {}),
      ...(tag ? { tag } : {}),
      ...(basis !== null && Object.hasOwn(basisLabels, basis) ? { basis: basis as ContactBasis } : {}),
    },
    sort: Object.hasOwn(sortLabels, sort) ? (sort as LeadSort) : NEWEST_FIRST,
    page: /^[1-9]\d{0,5}$/.test(page) ? Number(page) : 1,
  }
}

/** The URL parameters of a view, without defaults. */
export function toLeadsParams(filter: LeadFilter, page = 1, sort: LeadSort = NEWEST_FIRST): URLSearchParams {
  const params = new URLSearchParams()
  if (filter.keyword) params.set('keyword', filter.keyword)
  if (filter.minFollowers !== undefined) params.set('minFollowers', String(filter.minFollowers))
  if (filter.maxFollowers !== undefined) params.set('maxFollowers', String(filter.maxFollowers))
  if (filter.status) params.set('status', filter.status)
  if (filter.scrapeId) params.set('scrape', filter.scrapeId)
  if (filter.listId) params.set('list', filter.listId)
  if (filter.tag) params.set('tag', filter.tag)
  if (filter.basis) params.set('basis', filter.basis)
  if (sort !== NEWEST_FIRST) params.set('sort', sort)
  if (page > 1) params.set('page', String(page))
  return params
}

/** The query of GET /leads and GET /leads/export for a filter. */
export function filterQuery(filter: LeadFilter): URLSearchParams {
  return new URLSearchParams(Object.entries(filter).map(([name, value]) => [name, String(value)]))
}
