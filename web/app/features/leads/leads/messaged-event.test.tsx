import { QueryClientProvider } from '@tanstack/react-query'
import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { createQueryClient } from '../../../query-client'
import { ConfirmProvider } from '../../../ui/confirm'
import { MessagedEvent } from './messaged-event'

const event = {
  kind: 'messaged',
  at: '2026-11-20T10:00:00Z',
  dmId: 'dm',
  campaignId: null,
  campaignName: null,
  stepNumber: null,
  variant: null,
  why: null,
  status: 'failed',
  message: 'Hi Ada',
  reason: null,
  errorMessage: 'Outcome unknown: check the conversation before sending again',
  outcomeUnknown: true,
} as const
const render = (more: object) =>
  renderToString(
    <QueryClientProvider client={createQueryClient()}>
      <ConfirmProvider>
        <MessagedEvent event={{ ...event, ...more }} lead={{ id: 'lead', name: 'Ada', twitterHandle: 'ada' }} />
      </ConfirmProvider>
    </QueryClientProvider>,
  )

test('offers a retry only for failed quick DMs', () => {
  expect(render({})).toContain('Retry: @ada')
  expect(render({ status: 'sent', errorMessage: null, outcomeUnknown: false })).not.toContain('Retry')
  // A campaign's messages are retried on the campaign's page.
  expect(render({ campaignId: 'campaign', campaignName: 'Spring' })).not.toContain('Retry')
})

test('says that a message is checked on X while it is unknown whether it arrived', () => {
  const checked = 'X-Automated is checking on X whether it arrived.'
  expect(render({ status: 'queued', errorMessage: null })).toContain(checked)
  expect(render({ status: 'queued', errorMessage: null, outcomeUnknown: false })).not.toContain(checked)
  expect(render({})).not.toContain(checked)
})
