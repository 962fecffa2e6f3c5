import { HOUR_MS } from '@x-automated/contract/time'

/** Spans without a message that are longer than this are collapsed. */
const FOLDED_FROM_MS = 3 * HOUR_MS
/** A collapsed span is drawn as wide as this time, or narrower if all other spans together are short. */
const FOLD_MS = 0.75 * HOUR_MS
const FOLD_SHARE = 0.1
/** The minimum distance between labels, in percent. */
const LABEL_GAP = 9

export interface FlightLayout {
  /** Horizontal position of `time`, in percent. */
  x: (time: number) => number
  now: number
  /** Positions of the collapsed spans. */
  folds: number[]
  /** The times to label, where messages resume after a collapsed span. */
  labels: { time: number; x: number }[]
}

/** Positions times on a line. Long spans without a message are collapsed. */
export function layoutFlight(times: readonly number[], now: number): FlightLayout {
  const points = [...new Set([...times, now])].sort((a, b) => a - b)
  const gaps = points.map((time, index) => time - (points[index - 1] ?? time))
  const unfolded = gaps.filter((gap) => gap <= FOLDED_FROM_MS).reduce((sum, gap) => sum + gap, 0)
  const fold = unfolded === 0 ? FOLD_MS : Math.min(FOLD_MS, unfolded * FOLD_SHARE)
  const places = new Map<number, number>()
  const folds: number[] = []
  const starts: number[] = []
  let offset = 0
  for (const [index, time] of points.entries()) {
    const gap = gaps[index] ?? 0
    const isFolded = gap > FOLDED_FROM_MS
    if (isFolded) folds.push(offset + fold / 2)
    if (isFolded || index === 0) starts.push(time)
    offset += isFolded ? fold : gap
    places.set(time, offset)
  }
  const share = (at: number) => (offset === 0 ? 50 : 2 + (at / offset) * 96)
  const x = (time: number) => share(places.get(time) ?? 0)
  const labels: FlightLayout['labels'] = []
  for (const time of starts) {
    const isFree = [x(now), ...labels.map((label) => label.x)].every(
      (occupied) => Math.abs(occupied - x(time)) >= LABEL_GAP,
    )
    if (isFree) labels.push({ time, x: x(time) })
  }
  return { x, now: x(now), folds: folds.map(share), labels }
}
