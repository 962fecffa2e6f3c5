import { formatCount } from '@x-automated/contract/format'
import { parseBioWords } from '@x-automated/contract/leads/bio-words'
import { LIST_NAME_MAX } from '@x-automated/contract/leads/lists'
import type { Scrape } from '@x-automated/contract/leads/scrapes'
import { useNavigate } from 'react-router'
import { api, client } from '../../../api'
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

/** Saves the matching leads as the scrape's list. Then opens a campaign for it, if requested. */
export function useSaveResults(scrape: Scrape, { query, message }: Saved) {
  const navigate = useNavigate()
  return useAction(
    (_next: 'save' | 'write') => saveResults({ scrape, query, name: listName(scrape, query) }, client.lists),
    {
      onSuccess({ id, name, added }, next) {
        if (added > 0) toast.success(`${formatCount(added, 'lead')} saved in the list “${name}”.`)
        else if (next === 'save') toast.info(`These leads are in the list “${name}”.`)
        if (next === 'write') void navigate(startCampaignPath({ id }), { state: { message } })
      },
      failed: 'Failed to save the list. Try again.',
      refetches: [api.lists],
    },
  )
}

interface SavedResults {
  scrape: Pick<Scrape, 'id'>
  query: ResultsQuery
  name: string
}

/**
 * Adds the leads to the list of these results, which everyone in the workspace shares, and creates
 * it if there is none. @returns how many leads were added
 */
export async function saveResults(
  { scrape, query, name: newName }: SavedResults,
  lists: Pick<typeof client.lists, 'create' | 'addLeads'>,
): Promise<{ id: string; name: string; added: number }> {
  const { id, name } = await lists.create({ id: await listIdOf(scrape.id, query), name: newName })
  let added = 0
  let cursor: string | null = null
  do {
    const part: { changed: number; cursor: string | null } = await lists.addLeads({
      id,
      filter: { scrapeId: scrape.id, ...query },
      ...(cursor !== null && { cursor }),
    })
    added += part.changed
    cursor = part.cursor
  } while (cursor !== null)
  return { id, name, added }
}

/** The id of the list of a scrape's results, so that saving them again finds it: a UUID (version 8) of their hash. */
async function listIdOf(scrapeId: string, query: ResultsQuery): Promise<string> {
  const { minFollowers, maxFollowers, bioWords } = query
  const text = JSON.stringify([scrapeId, minFollowers, maxFollowers, bioWords])
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  hash[6] = 0x80 | ((hash[6] ?? 0) & 0x0f)
  hash[8] = 0x80 | ((hash[8] ?? 0) & 0x3f)
  const hex = Array.from(hash.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
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
