import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Lead } from '@x-automated/contract/leads'
import { useState } from 'react'
import { api } from '../../api'
import { isInitialLoading } from '../../initial-loading'
import { useDebouncedValue } from '../../ui/use-debounced-value'

/** Leads that are read at a time. */
const PAGE_SIZE = 10

type PreviewLead = Pick<Lead, 'id' | 'name' | 'twitterHandle' | 'metadata' | 'profileImageUrl'>

/** The leads of a list, one at a time, from the first to the last, or those whose name, handle or bio has some words. @param listId '' while none is picked */
export function usePreviewLeads(listId: string) {
  const [place, setPlace] = useState({ listId, search: '', index: 0 })
  // Another list is begun at its first lead.
  const { search, index } = place.listId === listId ? place : { search: '', index: 0 }
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
    /** Nothing is known of the list yet. */
    isLoading: listId !== '' && isInitialLoading(all) && keyword === '',
    /** Null while there is none: an example stands in. */
    lead,
    index,
    total,
    search,
    /** Somebody is looked for whom the list does not have. */
    isNobody: keyword !== '' && data?.total === 0,
    move: (by: number) => setPlace({ listId, search, index: (index + by + total) % Math.max(1, total) }),
    find: (words: string) => setPlace({ listId, search: words, index: 0 }),
  }
}
