import type { LeadFilter, LeadQuery } from '@x-automated/contract/leads/leads'
import { messageableParts } from './lead-status'

/** The leads of a bulk action: given ids, the messageable matches of a filter, or all matches of a filter. */
export type Picked = { ids: string[] } | ({ count: number } & ({ matching: LeadFilter } | { everyone: LeadFilter }))

/** How many leads an action changes. For a filter, its last count. */
export function pickedCount(picked: Picked): number {
  return 'ids' in picked ? picked.ids.length : picked.count
}

/** Names the leads, so that what is typed about them is restored for the same leads only. */
export function recordOf(picked: Picked): string {
  if ('ids' in picked && picked.ids.length === 1) return picked.ids[0] ?? ''
  const { count: _, ...filter } = { count: 0, ...picked }
  const text = JSON.stringify('ids' in picked ? picked.ids.toSorted() : filter)
  let hash = 0
  for (let at = 0; at < text.length; at++) hash = (hash * 31 + text.charCodeAt(at)) | 0
  return `${text.length}-${hash}`
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
