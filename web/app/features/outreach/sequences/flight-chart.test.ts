import type { FlightDot } from '@x-automated/contract/outreach/sequences'
import { expect, it } from 'vitest'
import { keyOf, startOf } from './flight-chart'
import { layoutFlight } from './flight-layout'

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

it('opens at the latest message, and at the next one if there is none', () => {
  const now = Date.parse('2026-12-02T18:00:00Z')
  const at = (hour: number) => ({ ...planned, at: `2026-12-02T${String(hour).padStart(2, '0')}:00:00Z` })
  const openedAt = (dots: FlightDot[]) => {
    const layout = layoutFlight(
      dots.map((dot) => Date.parse(dot.at)),
      now,
    )
    return [startOf(dots, now, layout), layout] as const
  }
  const [latest, layout] = openedAt([at(6), at(7), at(20)])
  expect(latest).toBe(layout.x(Date.parse(at(7).at)))
  const [next, ahead] = openedAt([at(20), at(21)])
  expect(next).toBe(ahead.x(Date.parse(at(20).at)))
})
