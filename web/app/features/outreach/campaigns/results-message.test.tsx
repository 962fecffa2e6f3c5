import { QueryClientProvider } from '@tanstack/react-query'
import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { api } from '../../../api'
import { createQueryClient } from '../../../query-client'
import { ResultsMessage } from './results-message'

test('shows the message as a lead of the scrape sees it', () => {
  const queries = createQueryClient()
  const filter = { scrapeId: 's', minFollowers: 100 }
  const ann = { id: 'lead', name: 'Ann', firstName: 'Ann', twitterHandle: 'ann', metadata: {}, pictureUrl: null }
  queries.setQueryData(api.leads.list.queryKey({ input: { ...filter, page: 1, pageSize: 10 } }), {
    leads: [ann],
    total: 211,
  } as never)
  const html = renderToString(
    <QueryClientProvider client={queries}>
      <ResultsMessage filter={filter} message="Hi {lead_name}" onMessage={() => {}} />
    </QueryClientProvider>,
  ).replace(/<!-- -->/g, '')
  expect(html).toContain('As Ann sees it')
  expect(html).toContain('1 of 211')
  expect(html).toMatch(/Hi <mark[^>]*>Ann<\/mark>/)
})
