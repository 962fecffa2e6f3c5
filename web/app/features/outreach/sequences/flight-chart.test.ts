import type { FlightDot } from '@x-automated/contract/outreach/sequences'
import { expect, it } from 'vitest'
import { keyOf } from './flight-chart'

const planned: FlightDot = {
  enrollmentId: 'e',
  dmId: null,
  lead: null,
  stepNumber: 2,
  variant: null,
  state: 'planned',
  at: '2026-12-02T12:00:00Z',
}

it('keeps a dot chosen when its person is put on hold, so that the same key resumes them', () => {
  expect(keyOf({ ...planned, state: 'held' })).toBe(keyOf(planned))
})

it('tells the next message of a person from one that was sent at the same step', () => {
  expect(keyOf({ ...planned, dmId: 'd', state: 'sent' })).not.toBe(keyOf(planned))
})
