import { type BioWords, bioWordsText, fitsBioWords } from '@x-automated/contract/leads/bio-words'
import type { Lead } from '@x-automated/contract/leads/leads'
import type { FollowerFilter, ScrapeBounds } from './follower-scale'

/** Filters a scrape's leads by follower count and by words in their bio. */
export type ResultsFilter = FollowerFilter & BioWords

/** The filter that matches all leads of the scrape. */
export function everyoneIn({ minFollowers, maxFollowers }: ScrapeBounds): ResultsFilter {
  return { min: minFollowers, max: maxFollowers, required: [], excluded: [] }
}

/** Whether a lead matches. An unknown follower count fits every range. */
export function isInFilter(lead: Pick<Lead, 'followerCount' | 'bio'>, filter: ResultsFilter): boolean {
  if (!fitsBioWords(lead.bio, filter)) return false
  const { followerCount } = lead
  if (followerCount === null) return true
  return followerCount >= (filter.min ?? 0) && followerCount <= (filter.max ?? Number.POSITIVE_INFINITY)
}

/** The filter as part of a query for leads. It only contains bounds that are narrower than the scrape's. */
export interface ResultsQuery extends Partial<ScrapeBounds> {
  bioWords?: string
}

/** The filter as a query for the scrape's leads. Empty if it matches everyone. */
export function queryOf(filter: ResultsFilter, bounds: ScrapeBounds): ResultsQuery {
  const { min, max } = filter
  const bioWords = bioWordsText(filter)
  return {
    ...(min !== null && min > bounds.minFollowers && { minFollowers: min }),
    ...(max !== null && max < bounds.maxFollowers && { maxFollowers: max }),
    ...(bioWords && { bioWords }),
  }
}

/** The words after pressing one: it becomes required, then excluded, then neither. */
export function withPressed({ required, excluded }: BioWords, word: string): BioWords {
  const without = (words: readonly string[]) => words.filter((other) => other !== word)
  if (required.includes(word)) return { required: without(required), excluded: [...excluded, word] }
  if (excluded.includes(word)) return { required, excluded: without(excluded) }
  return { required: [...required, word], excluded }
}
