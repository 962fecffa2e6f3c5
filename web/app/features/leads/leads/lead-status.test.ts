import { LEAD_FILTER_STATUSES, LEAD_STATUSES } from '@x-automated/contract/leads/leads'
import { expect, test } from 'vitest'
import { canBeMessaged, displayStatusOf, filterStatusOf, messageableParts } from './lead-status'

test('counts contacted as sent and failed_contact as failed', () => {
  const seen = Object.fromEntries(LEAD_STATUSES.map((dmStatus) => [dmStatus, filterStatusOf({ dmStatus })]))
  expect(seen).toEqual({
    not_sent: 'not_sent',
    queued: 'queued',
    sent: 'sent',
    failed: 'failed',
    contacted: 'sent',
    failed_contact: 'failed',
  })
})

test('allows messages to all but queued and sent leads', () => {
  expect(LEAD_STATUSES.filter((dmStatus) => canBeMessaged({ dmStatus, suppressed: false }))).toEqual([
    'not_sent',
    'failed',
    'failed_contact',
  ])
})

test('never allows messages to suppressed leads', () => {
  expect(LEAD_STATUSES.filter((dmStatus) => canBeMessaged({ dmStatus, suppressed: true }))).toEqual([])
})

test('splits a filter into its messageable statuses', () => {
  expect(messageableParts({ keyword: 'saas' })).toEqual([
    { keyword: 'saas', status: 'not_sent', suppressed: false },
    { keyword: 'saas', status: 'failed', suppressed: false },
  ])
  expect(messageableParts({ minFollowers: 5, status: 'failed' })).toEqual([
    { minFollowers: 5, status: 'failed', suppressed: false },
  ])
  for (const status of LEAD_FILTER_STATUSES)
    expect(messageableParts({ status }).length).toBe(status === 'not_sent' || status === 'failed' ? 1 : 0)
})

test('shows that a lead is suppressed or has replied instead of Sent', () => {
  const look = { dmStatus: 'contacted', suppressed: false, replied: false } as const
  expect(displayStatusOf(look)).toBe('contacted')
  expect(displayStatusOf({ ...look, replied: true })).toBe('replied')
  expect(displayStatusOf({ ...look, dmStatus: 'queued', replied: true })).toBe('queued')
  expect(displayStatusOf({ ...look, replied: true, suppressed: true })).toBe('suppressed')
})
