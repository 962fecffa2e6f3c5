import type { LeadFilter, LeadQuery } from '@x-automated/contract/leads/leads'
import { messageableParts } from './lead-status'

/** The leads of a bulk action: given ids, the messageable matches of a filter, or all matches of a filter. */
export type Picked = { ids: string[] } | ({ count: number } & ({ matching: LeadFilter } | { everyone: LeadFilter }))

/** How many leads an action changes. For a filter, its last count. */
export function pickedCount(picked: Picked): number {
  return 'ids' in picked ? picked.ids.length : picked.count
}

/** The selections for an action, one per request. */
export function selectionsOf(picked: Picked): ({ leadIds: string[] } | { filter: LeadQuery })[] {
  if ('everyone' in picked) return [{ filter: picked.everyone }]
  if ('matching' in picked) return messageableParts(picked.matching).map((filter) => ({ filter }))
  return picked.ids.length > 0 ? [{ leadIds: picked.ids }] : []
}

/** Whether a single lead is picked. It is changed by a direct call instead of a job. */
export function isSingle(picked: Picked): boolean {
  return 'ids' in picked && picked.ids.length === 1
}

/** The leads that a single call changes. */
export type Selection = { leadIds: string[] } | { filter: LeadQuery }
