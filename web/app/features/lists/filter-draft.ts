import type { LeadFilter } from '@x-automated/contract/leads'
import { parseFollowerCount, parseKeyword } from '../leads/leads-url'

/** What stands in the fields of a smart list's filter. */
export interface FilterDraft {
  keyword: string
  min: string
  max: string
  status: string
  /** A tag, by its id or its name. */
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

/** What is wrong with the fields, in words; none: nothing. */
export function problemsOf({ min, max }: Pick<FilterDraft, 'min' | 'max'>): { min?: string; max?: string } {
  const [least, most] = [parseFollowerCount(min), parseFollowerCount(max)]
  if (min.trim() !== '' && least === undefined) return { min: 'Enter a number' }
  if (max.trim() !== '' && most === undefined) return { max: 'Enter a number' }
  if (least !== undefined && most !== undefined && most < least) return { max: 'Less than the minimum' }
  return {}
}

/** The filter that the fields say, with what they have no field for as it was. */
export function filterOf({ keyword, min, max, status, tag, basis }: FilterDraft, before: LeadFilter): LeadFilter {
  const { listId, scrapeId } = before
  const [least, most, word] = [parseFollowerCount(min), parseFollowerCount(max), parseKeyword(keyword, 200)]
  return {
    ...(listId ? { listId } : {}),
    ...(scrapeId ? { scrapeId } : {}),
    ...(word ? { keyword: word } : {}),
    ...(least === undefined ? {} : { minFollowers: least }),
    ...(most === undefined ? {} : { maxFollowers: most }),
    ...(status ? { status: status as NonNullable<LeadFilter['status']> } : {}),
    ...(tag ? { tag } : {}),
    ...(basis ? { basis: basis as NonNullable<LeadFilter['basis']> } : {}),
  }
}
