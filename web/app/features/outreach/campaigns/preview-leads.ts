import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Lead } from '@x-automated/contract/leads/leads'
import { useState } from 'react'
import { api } from '../../../api'
import { isInitialLoading } from '../../../initial-loading'
import { useDebouncedValue } from '../../../ui/use-debounced-value'

const PAGE_SIZE = 10

type PreviewLead = Pick<Lead, 'id' | 'name' | 'twitterHandle' | 'metadata' | 'pictureUrl'>

/** Steps through a list's leads, or those of a search. @param listId '' for none */
export function usePreviewLeads(listId: string) {
  const [position, setPosition] = useState({ listId, search: '', index: 0 })
  // Another list starts at its first lead.
  const { search, index } = position.listId === listId ? position : { search: '', index: 0 }
  const keyword = useDebouncedValue(search.trim())
  const page = Math.floor(index / PAGE_SIZE) + 1
  const paging = { page, pageSize: PAGE_SIZE, placeholderData: keepPreviousData }
  const all = useQuery(
    api.lists.leads.queryOptions({
      input: { id: listId, page, pageSize: PAGE_SIZE },
      enabled: listId !== '' && keyword === '',
      placeholderData: paging.placeholderData,
    }),
  )
  const found = useQuery(
    api.leads.list.queryOptions({
      input: { listId, keyword, page, pageSize: PAGE_SIZE },
      enabled: listId !== '' && keyword !== '',
      placeholderData: paging.placeholderData,
    }),
  )
  const { data } = keyword === '' ? all : found
  const total = listId === '' ? 0 : (data?.total ?? 0)
  const lead: PreviewLead | null = (total > 0 && data?.leads[index % PAGE_SIZE]) || null
  return {
    isLoading: listId !== '' && isInitialLoading(all) && keyword === '',
    /** Null if there is none: the preview then shows an example. */
    lead,
    index,
    total,
    search,
    /** The search matches no lead of the list. */
    hasNoMatch: keyword !== '' && data?.total === 0,
    move: (by: number) => setPosition({ listId, search, index: (index + by + total) % Math.max(1, total) }),
    find: (search: string) => setPosition({ listId, search, index: 0 }),
  }
}
