import { formatCount, formatDate, formatNumber } from '@x-automated/contract/format'
import type { BreakdownBy, HeatmapCell } from '@x-automated/contract/overview/analytics'

/** What is compared, as texts for the switch and the first column. */
export const BY_NAMES: Record<BreakdownBy, { many: string; one: string }> = {
  campaign: { many: 'Campaigns', one: 'Campaign' },
  step: { many: 'Steps', one: 'Step' },
  variant: { many: 'Variants', one: 'Variant' },
  account: { many: 'X accounts', one: 'X account' },
  member: { many: 'Members', one: 'Member' },
}

/** What can be compared within one campaign, or across all campaigns. */
export function comparable(campaignId: string | undefined): BreakdownBy[] {
  return campaignId ? ['step', 'variant', 'account', 'member'] : ['campaign', 'account', 'member']
}

/** '45 s', '12 min', '5 h' or '3 days'; '–' if there is no value. */
export function durationText(seconds: number | null): string {
  if (seconds === null) return '–'
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3_600) return `${Math.round(seconds / 60)} min`
  if (seconds < 2 * 86_400) return `${formatNumber(Math.round(seconds / 3_600))} h`
  return formatCount(Math.round(seconds / 86_400), 'day')
}

export type Measure = 'sent' | 'replied' | 'positive'

/** With fewer messages than this, a rate is meaningless. */
export const RATE_FROM = 5

/** The number or share of messages that a cell displays. Null if there are too few. */
export function measured(cell: HeatmapCell | undefined, measure: Measure): number | null {
  if (!cell) return null
  if (measure === 'sent') return cell.sent
  return cell.sent < RATE_FROM ? null : cell[measure] / cell.sent
}

/** The hour with the highest displayed value, or null if no hour has enough messages. */
export function bestHour(cells: readonly HeatmapCell[], measure: Measure): HeatmapCell | null {
  let best: HeatmapCell | null = null
  for (const cell of cells) {
    const value = measured(cell, measure) ?? 0
    if (value > (best ? (measured(best, measure) ?? 0) : 0)) best = cell
  }
  return best
}

/** 'Mon'. @param weekday 1 is Monday */
export function weekdayName(weekday: number, length: 'short' | 'long' = 'short'): string {
  return formatDate(`2026-03-0${weekday + 1}`, { weekday: length, timeZone: 'UTC' })
}

/** '9 AM' or '09', depending on the locale. */
export function hourName(hour: number): string {
  return formatDate(new Date(Date.UTC(2026, 0, 1, hour)), { hour: 'numeric', timeZone: 'UTC' })
}
