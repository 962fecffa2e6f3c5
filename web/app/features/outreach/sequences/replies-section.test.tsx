import { QueryClientProvider } from '@tanstack/react-query'
import { renderToString } from 'react-dom/server'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'
import { api } from '../../../api'
import { createQueryClient } from '../../../query-client'
import { RepliesSection } from './replies-section'

function show(role: string, text: string | null): string {
  const client = createQueryClient()
  const dm = {
    id: 'dm',
    lead: { id: 'lead', name: 'Ann', twitterHandle: 'ann', pictureUrl: null },
    reply: { text, at: '2026-11-20T10:00:00Z', label: 'question' },
  }
  const { queryKey } = api.campaigns.dms.infiniteOptions({
    input: (cursor: string | undefined) => ({ id: 'campaign', status: 'replied', pageSize: 50, cursor }),
    initialPageParam: undefined,
    getNextPageParam: () => undefined,
  })
  client.setQueryData(queryKey, { pages: [{ dms: [dm], total: 1 }], pageParams: [undefined] } as never)
  client.setQueryData(api.auth.me.queryKey(), { workspace: { role } } as never)
  return renderToString(
    <QueryClientProvider client={client}>
      <MemoryRouter>
        <RepliesSection campaignId="campaign" pollEveryMs={false} onShow={() => {}} />
      </MemoryRouter>
    </QueryClientProvider>,
  )
}

test('links a reply to its conversation, also without its text, and all to the inbox, but not for viewers', () => {
  const link = 'href="/inbox?q=ann"'
  expect(show('member', 'Tell me more')).toContain(link)
  expect(show('member', null)).toContain(link)
  expect(show('member', null)).toContain('href="/inbox?campaign=campaign"')
  expect(show('viewer', null)).not.toContain('href="/inbox')
})
