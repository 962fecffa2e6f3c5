import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { api } from '../../../api'
import { createQueryClient } from '../../../query-client'
import { MessagePreview } from './message-preview'

const LEAD = { id: 'lead', name: 'Ann', firstName: 'Ann', twitterHandle: 'ann', metadata: {}, pictureUrl: null }

function createClient(): QueryClient {
  const client = createQueryClient()
  const leads = { id: 'list', page: 1, pageSize: 10 }
  client.setQueryData(api.lists.leads.queryKey({ input: leads }), { leads: [LEAD], total: 1 } as never)
  client.setQueryData(api.auth.me.queryKey(), { workspace: { role: 'member' } } as never)
  return client
}

function show(client: QueryClient): string {
  const messages = [{ key: 'first', template: '{ai_opener|Hello!} Shall we talk?', when: null }]
  return renderToString(
    <QueryClientProvider client={client}>
      <MessagePreview messages={messages} listId="list" xAccountId={null} campaignId="campaign" />
    </QueryClientProvider>,
  )
}

test('shows the approved opener of the lead, and the text that is sent without it', () => {
  const client = createClient()
  expect(show(client)).toContain('>Hello!</mark> Shall we talk?')
  const approved = { id: 'campaign', leadId: 'lead', status: 'approved' as const, pageSize: 1 }
  client.setQueryData(api.openers.list.queryKey({ input: approved }), { openers: [{ text: 'Fine bread!' }] } as never)
  expect(show(client)).toContain('>Fine bread!</mark> Shall we talk?')
  expect(show(client)).toContain('Hello!')
})

test('writes a message in the direction of its text', () => {
  expect(show(createClient())).toMatch(/<p dir="auto"[^>]*>(?:(?!<\/p>).)*Shall we talk\?/)
})
