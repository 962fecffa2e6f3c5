import { QueryClientProvider } from '@tanstack/react-query'
import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { api } from '../../../api'
import { createQueryClient } from '../../../query-client'
import { RehearsalStrip } from './rehearsal-strip'

const CAMPAIGN = {
  id: 'campaign',
  status: 'active',
  xAccountId: 'account',
  stepCount: 1,
  totalLeadsInList: 100,
  openEnrollments: 100,
  dmsSentCount: 0,
  dmsFailedCount: 0,
}

function show(dmsQueuedCount: number, warnings: string[] = []): string {
  const client = createQueryClient()
  const rest = {
    perDay: [{ date: '2026-12-01', count: 50, followUps: 0 }],
    lastSendAt: '2026-12-01T10:00:00Z',
    plan: { resetsAt: '2026-12-01T00:00:00Z' },
    warnings,
  }
  client.setQueryData(api.campaigns.findPreflight.queryKey({ input: { id: 'campaign' } }), rest as never)
  const accounts = [{ xAccountId: 'account', timeZone: 'UTC' }]
  client.setQueryData(api.sendingSettings.find.queryKey(), { accounts } as never)
  const campaign = { ...CAMPAIGN, dmsQueuedCount } as never
  const html = renderToString(
    <QueryClientProvider client={client}>
      <RehearsalStrip campaign={campaign} />
    </QueryClientProvider>,
  )
  return html.replace(/<[^>]*>/g, '').trim()
}

test('says when everyone gets a message, who waits for the plan, and what may go wrong', () => {
  expect(show(100)).toMatch(/^All 50 in one day, done [^.]+$/)
  expect(show(50)).toMatch(/^All 50 in one day, done [^.]+\. The other 50 follow on Dec 1, when your limit resets/)
  expect(show(50, ['closed_inboxes'])).toMatch(
    /or when you upgrade\. Most of these people take no DMs from strangers\.$/,
  )
})
