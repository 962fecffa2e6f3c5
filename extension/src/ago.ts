import { formatRelative } from '@x-automated/contract/format'

const UNITS = [
  { unit: 'day', ms: 86_400_000 },
  { unit: 'hour', ms: 3_600_000 },
  { unit: 'minute', ms: 60_000 },
] as const

/** Formats a past time as 'just now' or '5 minutes ago'. Both in milliseconds since 1970. */
export function ago(then: number, now: number): string {
  const passed = now - then
  const fitting = UNITS.find(({ ms }) => passed >= ms)
  if (!fitting) return 'just now'
  return formatRelative(-Math.floor(passed / fitting.ms), fitting.unit)
}
