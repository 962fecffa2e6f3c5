import { formatCount } from '@x-automated/contract/format'
import { LIST_NAME_MAX } from '@x-automated/contract/leads/lists'
import type { Scrape } from '@x-automated/contract/leads/scrapes'
import { useRef } from 'react'
import { useNavigate } from 'react-router'
import { api, client } from '../../../api'
import { paths } from '../../../paths'
import { toast } from '../../../ui/toast'
import { useAction } from '../../../use-action'
import { scrapeFilter, scrapeTitle } from './scrape-text'

type Range = { minFollowers?: number; maxFollowers?: number }

/** Saves the leads found, in this range, as a new list. Then opens a campaign for it, if asked. */
export function useSaveFound(scrape: Scrape, range: Range, isFiltered: boolean) {
  const navigate = useNavigate()
  const last = useRef<{ of: string; id: string; name: string } | null>(null)
  return useAction(
    async (_next: 'save' | 'write') => {
      const of = JSON.stringify([scrape.id, scrape.matched, range])
      // Pressing the other button uses the same list.
      if (last.current?.of === of) return { ...last.current, added: null }
      const name = listName(scrape, range, isFiltered)
      const { id } = await client.lists.create({ name })
      let added = 0
      let cursor: string | null = null
      do {
        const part: { changed: number; cursor: string | null } = await client.lists.addLeads({
          id,
          filter: { scrapeId: scrape.id, ...range },
          ...(cursor !== null && { cursor }),
        })
        added += part.changed
        cursor = part.cursor
      } while (cursor !== null)
      last.current = { of, id, name }
      return { id, name, added }
    },
    {
      onSuccess({ id, name, added }, next) {
        if (added === null) {
          if (next === 'save') toast.info(`These leads are in the list “${name}”.`)
        } else toast.success(`${formatCount(added, 'lead')} saved in the list “${name}”.`)
        if (next === 'write') void navigate(`${paths.campaigns}?list=${id}`)
      },
      failed: 'Failed to save the list. Try again.',
      refetches: [api.lists],
    },
  )
}

function listName(scrape: Scrape, range: Range, isFiltered: boolean): string {
  const name = isFiltered
    ? `${scrapeTitle(scrape)}, ${scrapeFilter({ ...scrape, ...range, keywords: [] })}`
    : scrapeTitle(scrape)
  return name.slice(0, LIST_NAME_MAX)
}
