import type { LeadFilter } from '@x-automated/contract/leads/leads'
import { parseFollowerCount, parseKeyword } from '../leads/leads-url'

/** The fields of a smart list's filter. */
export interface FilterDraft {
  keyword: string
  min: string
  max: string
  status: string
  /** A tag's id or name. */
  tag: string
  basis: string
}

export function draftOf({ keyword, minFollowers, maxFollowers, status, tag, basis }: LeadFilter): FilterDraft {
  return {
    keyword: keyword ?? '',
    min: minFollowers === undefined ? '' : String(minFollowers),
    max: maxFollowers === undefined ? '' : String(maxFollowers),
    status: status ?? '',
    tag: tag ?? '',
    basis: basis ?? '',
  }
}

/** What is wrong with the fields, as texts to show; empty if nothing. */
export function problemsOf({ min, max }: Pick<FilterDraft, 'min' | 'max'>): { min?: string; max?: string } {
  const [minValue, maxValue] = [parseFollowerCount(min), parseFollowerCount(max)]
  if (min.trim() !== '' && minValue === undefined) return { min: 'Enter a number' }
  if (max.trim() !== '' && maxValue === undefined) return { max: 'Enter a number' }
  if (minValue !== undefined && maxValue !== undefined && maxValue < minValue) return { max: 'Less than the minimum' }
  return {}
}

/** The filter of the fields. Criteria without a field are kept. */
export function filterOf({ keyword, min, max, status, tag, basis }: FilterDraft, before: LeadFilter): LeadFilter {
  const { listId, scrapeId } = before
  const [minFollowers, maxFollowers, word] = [
    parseFollowerCount(min),
    parseFollowerCount(max),
    parseKeyword(keyword, 200),
  ]
  return {
    ...(listId ? { listId } : {}),
    ...(scrapeId ? { scrapeId } : {}),
    ...(word ? { keyword: word } : {}),
    ...(minFollowers === undefined ? {} : { minFollowers }),
    ...(maxFollowers === undefined ? {} : { maxFollowers }),
    ...(status ? { status: status as NonNullable<LeadFilter['status']> } : {}),
    ...(tag ? { tag } : {}),
    ...(basis ? { basis: basis as NonNullable<LeadFilter['basis']> } : {}),
  }
}
