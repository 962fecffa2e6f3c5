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
  dmsSkippedCount: 0,
  peopleSkipped: 0,
}

function show(dmsQueuedCount: number, warnings: string[] = [], more: object = {}): string {
  const client = createQueryClient()
  const rest = {
    perDay: [{ date: '2026-12-01', count: 50, followUps: 0 }],
    lastSendAt: '2026-12-01T10:00:00Z',
    plan: { limit: 50, resetsAt: '2026-12-01T00:00:00Z' },
    billCents: 51,
    warnings,
  }
  client.setQueryData(api.campaigns.findPreflight.queryKey({ input: { id: 'campaign' } }), rest as never)
  const accounts = [{ xAccountId: 'account', timeZone: 'UTC' }]
  client.setQueryData(api.sendingSettings.find.queryKey(), { accounts } as never)
  const campaign = { ...CAMPAIGN, dmsQueuedCount, ...more } as never
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

test('says what X charges before the launch only, and that it exceeds the spending limit', () => {
  const saved = { status: 'draft', totalLeadsInList: 0 }
  expect(show(0, [], saved)).toMatch(/^All 50 in one day, done [^.]+\. X charges about \$0\.51 in all\.$/)
  expect(show(0, ['spending'], saved)).toMatch(/in all\. This would exceed your X spending limit for this month/)
  expect(show(100)).not.toContain('X charges')
})
