import { expect, it } from 'vitest'
import { layoutFlight } from './flight-layout'

const HOUR = 3_600_000
const NOW = Date.parse('2026-11-20T14:00:00Z')

it('keeps the order of times and puts all between the edges', () => {
  const times = [-2, -1.5, 0.5, 1].map((hours) => NOW + hours * HOUR)
  const { x, now, folds } = layoutFlight(times, NOW)
  const places = times.map(x)
  expect(places).toEqual(places.toSorted((a, b) => a - b))
  expect([places[0], places.at(-1)]).toEqual([2, 98])
  expect(now).toBeGreaterThan(x(times[1] ?? 0))
  expect(now).toBeLessThan(x(times[2] ?? 0))
  expect(folds).toEqual([])
})

it('folds a night and labels the morning after it', () => {
  const evening = NOW - 20 * HOUR
  const morning = NOW - 6 * HOUR
  const { x, folds, labels } = layoutFlight([evening - HOUR, evening, morning, morning + 2 * HOUR, NOW - HOUR], NOW)
  expect(folds).toHaveLength(1)
  // The collapsed 14 hours are narrower than the 2 hours after them.
  expect(x(morning) - x(evening)).toBeLessThan(x(morning + 2 * HOUR) - x(morning))
  expect(labels.map(({ time }) => time)).toEqual([evening - HOUR, morning])
})

it('keeps a folded time narrow if everything was sent within minutes', () => {
  const { x } = layoutFlight([NOW - 8 * HOUR, NOW - 7.9 * HOUR], NOW)
  expect(x(NOW) - x(NOW - 7.9 * HOUR)).toBeLessThan(20)
})

it('puts a single time in the middle', () => {
  expect(layoutFlight([], NOW).now).toBe(50)
})
