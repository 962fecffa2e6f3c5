import { LeadFilter } from '@x-automated/contract/leads/leads'
import { LABEL_NAMES } from './history-text'
import {
  basisLabels,
  type LeadsView,
  NEWEST_FIRST,
  parseFollowerCount,
  parseKeyword,
  sortLabels,
  statusLabels,
} from './leads-url'

/** Reads the page's URL parameters. Invalid ones are ignored. */
export function parseLeadsParams(params: URLSearchParams): LeadsView {
  const keyOf = <K extends string>(name: string, labels: Record<K, string>) => {
    const value = params.get(name) ?? ''
    return Object.hasOwn(labels, value) ? (value as K) : undefined
  }
  const accepted = <K extends keyof typeof LeadFilter.shape>(name: K): LeadFilter[K] =>
    LeadFilter.shape[name].safeParse(params.get(name) ?? undefined).data as LeadFilter[K]
  const page = params.get('page') ?? ''
  return {
    filter: {
      keyword: parseKeyword(params.get('keyword'), 200),
      minFollowers: parseFollowerCount(params.get('minFollowers') ?? ''),
      maxFollowers: parseFollowerCount(params.get('maxFollowers') ?? ''),
      status: keyOf('status', statusLabels),
      scrapeId: params.get('scrape')?.slice(0, 200) || undefined,
      listId: params.get('list')?.slice(0, 200) || undefined,
      tag: parseKeyword(params.get('tag'), 100),
      basis: keyOf('basis', basisLabels),
      label: keyOf('label', LABEL_NAMES),
      tags: accepted('tags'),
      fields: accepted('fields'),
      contactedAfter: accepted('contactedAfter'),
      contactedBefore: accepted('contactedBefore'),
      rules: accepted('rules'),
    },
    sort: keyOf('sort', sortLabels) ?? NEWEST_FIRST,
    page: /^[1-9]\d{0,5}$/.test(page) ? Number(page) : 1,
  }
}
