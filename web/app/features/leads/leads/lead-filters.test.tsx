import { QueryClientProvider } from '@tanstack/react-query'
import type { LeadFilter } from '@x-automated/contract/leads/leads'
import type { List } from '@x-automated/contract/leads/lists'
import type { Scrape } from '@x-automated/contract/leads/scrapes'
import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { api } from '../../../api'
import { createQueryClient } from '../../../query-client'
import { ConfirmProvider } from '../../../ui/confirm'
import { LeadFilters } from './lead-filters'

const queries = createQueryClient()
queries.setQueryData(api.lists.find.queryKey({ input: { id: 'l' } }), { id: 'l', name: 'Founders' } as List)
queries.setQueryData(api.scrapes.find.queryKey({ input: { id: 's' } }), {
  id: 's',
  type: 'followers',
  twitterHandle: 'ada',
} as Scrape)

const textOf = (filter: LeadFilter) =>
  renderToString(
    <QueryClientProvider client={queries}>
      <ConfirmProvider>
        <LeadFilters
          view={{ filter, sort: '-createdAt', page: 1 }}
          onChange={() => {}}
          onSort={() => {}}
          onPick={() => {}}
        />
      </ConfirmProvider>
    </QueryClientProvider>,
  ).replace(/<[^>]*>/g, '')

test('names the list or scrape that the leads come from', () => {
  expect(textOf({})).not.toContain('Source:')
  expect(textOf({ listId: 'l' })).toContain('Source: list “Founders”')
  expect(textOf({ scrapeId: 's' })).toContain('Source: scrape “Followers of @ada”')
  expect(textOf({ scrapeId: 'unknown' })).toContain('Source: scrape')
})
