import { QueryClientProvider } from '@tanstack/react-query'
import type { LeadFilter } from '@x-automated/contract/leads'
import type { List } from '@x-automated/contract/lists'
import type { Scrape } from '@x-automated/contract/scrapes'
import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { api } from '../../api'
import { createQueryClient } from '../../query-client'
import { ConfirmProvider } from '../../ui/confirm'
import { LeadFilters } from './lead-filters'

const queries = createQueryClient()
queries.setQueryData(api.lists.find.queryKey({ input: { id: 'l' } }), { id: 'l', name: 'Founders' } as List)
queries.setQueryData(api.scrapes.find.queryKey({ input: { id: 's' } }), {
  id: 's',
  type: 'followers',
  twitterHandle: 'ada',
} as Scrape)

const said = (filter: LeadFilter) =>
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

test('the list and the scrape that leads are narrowed to are named, each with the way out', () => {
  expect(said({})).not.toContain('Show all')
  expect(said({ listId: 'l' })).toContain('Only the leads of “Founders”.Show all')
  expect(said({ scrapeId: 's' })).toContain('Only the leads that the scrape “Followers of @ada” found.Show all')
  expect(said({ scrapeId: 'unknown' })).toContain('Only the leads that one scrape found.Show all')
})
