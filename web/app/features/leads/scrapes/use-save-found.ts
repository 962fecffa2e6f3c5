import { formatCount } from '@x-automated/contract/format'
import { LIST_NAME_MAX } from '@x-automated/contract/leads/lists'
import type { Scrape } from '@x-automated/contract/leads/scrapes'
import { useRef } from 'react'
import { useNavigate } from 'react-router'
import { api, client, errorCode } from '../../../api'
import { toast } from '../../../ui/toast'
import { useAction } from '../../../use-action'
import { startCampaignPath } from '../lists/start-campaign'
import { scrapeFilter, scrapeTitle } from './scrape-text'

type Range = { minFollowers?: number; maxFollowers?: number }

interface Saved {
  range: Range
  isFiltered: boolean
  /** The first message of a campaign for them. */
  message: string
}

/** Saves the leads found, in this range, as a new list. Then opens a campaign for it, if asked. */
export function useSaveFound(scrape: Scrape, { range, isFiltered, message }: Saved) {
  const navigate = useNavigate()
  const kept = useRef<KeptList>({})
  return useAction(
    (_next: 'save' | 'write') =>
      saveFound(kept.current, { scrape, range, name: listName(scrape, range, isFiltered) }, client.lists),
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

/** The list that was last saved to, with how many leads were found then; none until it is complete. */
interface KeptList {
  list?: { of: string; id: string; name: string; matched: number | null }
}

interface Found {
  scrape: Pick<Scrape, 'id' | 'matched'>
  range: Range
  name: string
}

/**
 * Saves to the kept list if it is of the same leads: after a failure, after more were found, and when
 * the other button is pressed. @returns `added` is null if the list was complete
 */
export async function saveFound(
  kept: KeptList,
  { scrape, range, name }: Found,
  lists: Pick<typeof client.lists, 'create' | 'addLeads'>,
): Promise<{ id: string; name: string; added: number | null }> {
  const of = JSON.stringify([scrape.id, range])
  if (kept.list?.of !== of) kept.list = { of, id: (await lists.create({ name })).id, name, matched: null }
  const { list } = kept
  if (list.matched === scrape.matched) return { id: list.id, name: list.name, added: null }
  let added = 0
  let cursor: string | null = null
  try {
    do {
      const part: { changed: number; cursor: string | null } = await lists.addLeads({
        id: list.id,
        filter: { scrapeId: scrape.id, ...range },
        ...(cursor !== null && { cursor }),
      })
      added += part.changed
      cursor = part.cursor
    } while (cursor !== null)
  } catch (error) {
    if (errorCode(error) === 'LEAD_LIST_NOT_FOUND') delete kept.list
    throw error
  }
  list.matched = scrape.matched
  return { id: list.id, name: list.name, added }
}

function listName(scrape: Scrape, range: Range, isFiltered: boolean): string {
  const name = isFiltered
    ? `${scrapeTitle(scrape)}, ${scrapeFilter({ ...scrape, ...range, keywords: [] })}`
    : scrapeTitle(scrape)
  return name.slice(0, LIST_NAME_MAX)
}
