import { QueryClientProvider } from '@tanstack/react-query'
import type { Scrape } from '@x-automated/contract/leads/scrapes'
import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { api } from '../../../api'
import { createQueryClient } from '../../../query-client'
import { ConfirmProvider } from '../../../ui/confirm'
import { RecentScrapes } from './recent-scrapes'

const scrape = {
  id: 's',
  type: 'followers',
  twitterHandle: 'ada',
  status: 'completed',
  minFollowers: 0,
  maxFollowers: 10,
  keywords: [] as string[],
  fetched: 1,
  matched: 1,
  createdAt: '2026-11-01T00:00:00.000Z',
} as Scrape

function runAgainButton(busy: boolean): string | undefined {
  const queries = createQueryClient()
  queries.setQueryData(api.scrapes.list.queryKey({ input: { page: 1, pageSize: 10 } }), {
    scrapes: [scrape],
    total: 1,
    page: 1,
    pageSize: 10,
  })
  const html = renderToString(
    <QueryClientProvider client={queries}>
      <ConfirmProvider>
        <RecentScrapes
          page={1}
          pageSize={10}
          onPage={() => {}}
          currentId={null}
          onShow={() => {}}
          busy={busy}
          onStarted={() => {}}
          onAskCredentials={() => {}}
        />
      </ConfirmProvider>
    </QueryClientProvider>,
  )
  return /<button[^>]*aria-label="Run again: Followers of @ada"[^>]*>/.exec(html)?.[0]
}

test('disables Run again while a scrape is in progress', () => {
  expect(runAgainButton(false)).not.toMatch(/disabled=/)
  expect(runAgainButton(true)).toMatch(/disabled=/)
})
