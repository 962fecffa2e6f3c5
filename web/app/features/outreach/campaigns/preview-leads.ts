import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Lead, LeadQuery } from '@x-automated/contract/leads/leads'
import { useState } from 'react'
import { api } from '../../../api'
import { isInitialLoading } from '../../../initial-loading'
import { useDebouncedValue } from '../../../ui/use-debounced-value'

const PAGE_SIZE = 10

type PreviewLead = Pick<Lead, 'id' | 'name' | 'firstName' | 'twitterHandle' | 'metadata' | 'pictureUrl'>

/** Steps through the leads of a list, a filter or a search. @param listId '' until a list is chosen */
export function usePreviewLeads(listId: string, filter: LeadQuery = { listId }) {
  const of = JSON.stringify(filter)
  const [position, setPosition] = useState({ of, search: '', index: 0 })
  // Choosing other leads starts over at the first one.
  const { search, index } = position.of === of ? position : { search: '', index: 0 }
  const isNone = filter.listId === ''
  const keyword = useDebouncedValue(search.trim())
  // True if the leads are the entire list, in the list's own order.
  const isWholeList = listId !== '' && keyword === ''
  const page = Math.floor(index / PAGE_SIZE) + 1
  const paging = { page, pageSize: PAGE_SIZE, placeholderData: keepPreviousData }
  const all = useQuery(
    api.lists.leads.queryOptions({
      input: { id: listId, page, pageSize: PAGE_SIZE },
      enabled: isWholeList,
      placeholderData: paging.placeholderData,
    }),
  )
  const filtered = useQuery(
    api.leads.list.queryOptions({
      input: { ...filter, ...(keyword && { keyword }), page, pageSize: PAGE_SIZE },
      enabled: !isNone && !isWholeList,
      placeholderData: paging.placeholderData,
    }),
  )
  const query = isWholeList ? all : filtered
  const { data } = query
  const total = isNone ? 0 : (data?.total ?? 0)
  const lead: PreviewLead | null = (total > 0 && data?.leads[index % PAGE_SIZE]) || null
  return {
    isLoading: !isNone && isInitialLoading(query) && keyword === '',
    /** Null if there is no lead. The preview then uses an example. */
    lead,
    index,
    total,
    search,
    /** No lead of the list matches the search. */
    hasNoMatch: keyword !== '' && data?.total === 0,
    move: (by: number) => setPosition({ of, search, index: (index + by + total) % Math.max(1, total) }),
    find: (search: string) => setPosition({ of, search, index: 0 }),
  }
}
