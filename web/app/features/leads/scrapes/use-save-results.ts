import { formatCount } from '@x-automated/contract/format'
import { parseBioWords } from '@x-automated/contract/leads/bio-words'
import { LIST_NAME_MAX } from '@x-automated/contract/leads/lists'
import type { Scrape } from '@x-automated/contract/leads/scrapes'
import { useRef } from 'react'
import { useNavigate } from 'react-router'
import { api, client, errorCode } from '../../../api'
import { toast } from '../../../ui/toast'
import { useAction } from '../../../use-action'
import { startCampaignPath } from '../lists/start-campaign'
import type { ResultsQuery } from './results-filter'
import { scrapeFilter, scrapeTitle } from './scrape-text'

interface Saved {
  query: ResultsQuery
  /** The first message of a campaign to these leads. */
  message: string
}

/** Saves the matching leads as a new list. Then opens a campaign for it, if requested. */
export function useSaveResults(scrape: Scrape, { query, message }: Saved) {
  const navigate = useNavigate()
  const cache = useRef<LastList>({})
  return useAction(
    (_next: 'save' | 'write') =>
      saveResults(cache.current, { scrape, query, name: listName(scrape, query) }, client.lists),
    {
      onSuccess({ id, name, added }, next) {
        if (added === null) {
          if (next === 'save') toast.info(`These leads are in the list “${name}”.`)
        } else toast.success(`${formatCount(added, 'lead')} saved in the list “${name}”.`)
        if (next === 'write') void navigate(startCampaignPath({ id }), { state: { message } })
      },
      failed: 'Failed to save the list. Try again.',
      refetches: [api.lists],
    },
  )
}

/** The list that was last saved to. `matched` is null until the list is complete, then the scrape's number of leads. */
interface LastList {
  list?: { of: string; id: string; name: string; matched: number | null }
}

interface SavedResults {
  scrape: Pick<Scrape, 'id' | 'matched'>
  query: ResultsQuery
  name: string
}

/**
 * Saves to the last list if it has the same leads: after a failure, after more leads were found, or
 * if the other button is pressed.
 * @returns `added` is null if the list was already complete
 */
export async function saveResults(
  cache: LastList,
  { scrape, query, name }: SavedResults,
  lists: Pick<typeof client.lists, 'create' | 'addLeads'>,
): Promise<{ id: string; name: string; added: number | null }> {
  const of = JSON.stringify([scrape.id, query])
  if (cache.list?.of !== of) cache.list = { of, id: (await lists.create({ name })).id, name, matched: null }
  const { list } = cache
  if (list.matched === scrape.matched) return { id: list.id, name: list.name, added: null }
  let added = 0
  let cursor: string | null = null
  try {
    do {
      const part: { changed: number; cursor: string | null } = await lists.addLeads({
        id: list.id,
        filter: { scrapeId: scrape.id, ...query },
        ...(cursor !== null && { cursor }),
      })
      added += part.changed
      cursor = part.cursor
    } while (cursor !== null)
  } catch (error) {
    if (errorCode(error) === 'LEAD_LIST_NOT_FOUND') delete cache.list
    throw error
  }
  list.matched = scrape.matched
  return { id: list.id, name: list.name, added }
}

/** 'Followers of @ana, 200 to 9,000 followers, founder, not crypto'. */
export function listName(scrape: Scrape, { bioWords = '', ...range }: ResultsQuery): string {
  const { required, excluded } = parseBioWords(bioWords)
  const parts = [
    scrapeTitle(scrape),
    Object.keys(range).length > 0 && scrapeFilter({ ...scrape, ...range, keywords: [] }),
    ...required,
    ...excluded.map((word) => `not ${word}`),
  ]
  return parts.filter(Boolean).join(', ').slice(0, LIST_NAME_MAX)
}
