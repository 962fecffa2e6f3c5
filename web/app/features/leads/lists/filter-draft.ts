import type { LeadFilter } from '@x-automated/contract/leads/leads'
import { parseKeyword } from '../leads/leads-url'

/** The fields of a smart list's filter. */
export interface FilterDraft {
  keyword: string
  min: number | null
  max: number | null
  status: string
  /** A tag's id or name. */
  tag: string
  basis: string
}

export function draftOf({ keyword, minFollowers, maxFollowers, status, tag, basis }: LeadFilter): FilterDraft {
  return {
    keyword: keyword ?? '',
    min: minFollowers ?? null,
    max: maxFollowers ?? null,
    status: status ?? '',
    tag: tag ?? '',
    basis: basis ?? '',
  }
}

/** What is wrong with the range, as a text to show. */
export function rangeProblem({ min, max }: Pick<FilterDraft, 'min' | 'max'>): string | undefined {
  return min !== null && max !== null && max < min ? 'Less than the minimum' : undefined
}

/** The filter of the fields. Criteria without a field are kept. */
export function filterOf({ keyword, min, max, status, tag, basis }: FilterDraft, before: LeadFilter): LeadFilter {
  const { listId, scrapeId } = before
  const word = parseKeyword(keyword, 200)
  return {
    ...(listId ? { listId } : {}),
    ...(scrapeId ? { scrapeId } : {}),
    ...(word ? { keyword: word } : {}),
    ...(min === null ? {} : { minFollowers: min }),
    ...(max === null ? {} : { maxFollowers: max }),
    ...(status ? { status: status as NonNullable<LeadFilter['status']> } : {}),
    ...(tag ? { tag } : {}),
    ...(basis ? { basis: basis as NonNullable<LeadFilter['basis']> } : {}),
  }
}
