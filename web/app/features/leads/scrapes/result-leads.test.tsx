import { QueryClientProvider } from '@tanstack/react-query'
import type { Scrape } from '@x-automated/contract/leads/scrapes'
import { renderToString } from 'react-dom/server'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'
import { api } from '../../../api'
import { createQueryClient } from '../../../query-client'
import { ResultLeads } from './result-leads'
import { everyoneIn } from './results-filter'

test('says that the leads of a scrape were deleted later', () => {
  const queries = createQueryClient()
  queries.setQueryData(api.leads.list.queryKey({ input: { scrapeId: 's', page: 1, pageSize: 12 } }), {
    leads: [],
    total: 0,
    page: 1,
    pageSize: 12,
    cursor: null,
  })
  const scrape = { id: 's', status: 'completed', matched: 40, fetched: 50, minFollowers: 0, maxFollowers: 9 } as Scrape
  const html = renderToString(
    <QueryClientProvider client={queries}>
      <MemoryRouter>
        <ResultLeads scrape={scrape} filter={everyoneIn(scrape)} />
      </MemoryRouter>
    </QueryClientProvider>,
  ).replace(/<!-- -->/g, '')
  expect(html).toContain('These leads were deleted')
  expect(html).toContain('This scrape found 40 leads, all deleted since.')
})
