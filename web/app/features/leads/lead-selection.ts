import type { Lead, LeadFilter, LeadQuery, OfferedLead } from '@x-automated/contract/leads'
import { useRef, useState } from 'react'
import { canBeMessaged, messageableParts } from './lead-status'

/**
 * A bulk action's leads: selected ids, the messageable leads that match a filter, or all that match
 * it.
 */
export type Picked = { ids: string[] } | ({ count: number } & ({ matching: LeadFilter } | { everyone: LeadFilter }))

export function pickedCount(picked: Picked): number {
  return 'ids' in picked ? picked.ids.length : picked.count
}

/** The selection part of each request body that the action needs. */
export function selectionsOf(picked: Picked): ({ leadIds: string[] } | { filter: LeadQuery })[] {
  if ('everyone' in picked) return [{ filter: picked.everyone }]
  if ('matching' in picked) return messageableParts(picked.matching).map((filter) => ({ filter }))
  return picked.ids.length > 0 ? [{ leadIds: picked.ids }] : []
}

/** The leads that one call changes. */
export type Selection = ({ leadIds: string[] } | { filter: LeadQuery }) & { cursor?: string }
/** A response with the cursor of the next batch; null after the last. */
export type PartResponse = { cursor: string | null }

/**
 * Changes the selected leads in batches: one call changes a limited number of leads and returns a
 * cursor.
 * @param mayContinue checked before each batch @returns false if it was stopped before the last
 * batch
 */
export async function changeInBatches<Answer extends PartResponse>(
  picked: Picked,
  call: (selection: Selection) => Promise<Answer>,
  onAnswer: (answer: Answer) => void,
  mayContinue: () => boolean = () => true,
): Promise<boolean> {
  for (const selection of selectionsOf(picked)) {
    let next: { cursor?: string } | null = {}
    while (next) {
      if (!mayContinue()) return false
      const answer: Answer = await call({ ...selection, ...next })
      onAnswer(answer)
      // A server of the previous version returns no cursor.
      next = answer.cursor ? { cursor: answer.cursor } : null
    }
  }
  return true
}

interface KeptSelection {
  /** The filter it was made with: changing the filter clears the selection. */
  filterKey: string
  ids: ReadonlySet<string>
  all: boolean
}

/**
 * The selection across all pages of one filter. @param shown the current page; its leads are
 * deselected once they can't be messaged
 */
export function useLeadSelection(filter: LeadFilter, shown: readonly OfferedLead[]) {
  const filterKey = JSON.stringify(filter)
  const nothing: KeptSelection = { filterKey, ids: new Set(), all: false }
  const [kept, setKept] = useState<KeptSelection>(nothing)
  const current = kept.filterKey === filterKey ? kept : nothing

  /** The lead selected last, where a range starts. */
  const anchor = useRef<string | null>(null)
  const selectable = shown.filter(canBeMessaged)
  const selectableIds = selectable.map(({ id }) => id)
  const unselectable = new Set(shown.filter((lead) => !canBeMessaged(lead)).map(({ id }) => id))
  const idsOf = ({ ids }: KeptSelection) => [...ids].filter((id) => !unselectable.has(id))
  const has = (lead: OfferedLead) =>
    current.all ? canBeMessaged(lead) : current.ids.has(lead.id) && !unselectable.has(lead.id)
  // Uses the latest state: several changes can arrive before the next render.
  const pick = (change: (before: KeptSelection) => Iterable<string>, all = false) =>
    setKept((before) => ({ filterKey, ids: new Set(change(before.filterKey === filterKey ? before : nothing)), all }))

  return {
    ids: idsOf(current),
    /** Everyone who matches is selected, on every page. */
    all: current.all,
    has,
    /** How much of the current page is selected. */
    page: !selectable.some(has) ? 'none' : selectable.every(has) ? 'all' : 'some',
    selectableHere: selectable.length,
    /** @param through also toggles everything between the last selected lead and this one */
    toggle(lead: OfferedLead, through = false) {
      const range = through ? between(selectable, anchor.current, lead.id) : [lead.id]
      anchor.current = lead.id
      // Unchecking one lead of "all" leaves only the current page selected.
      pick((before) => toggled(before.all ? selectableIds : idsOf(before), lead.id, range))
    },
    togglePage() {
      const here = new Set(selectableIds)
      if (current.all) pick(() => [])
      else if (selectable.every(has)) pick((before) => idsOf(before).filter((id) => !here.has(id)))
      else pick((before) => [...idsOf(before), ...here])
    },
    pickAll: () => pick(() => [], true),
    clear: () => pick(() => []),
  } as const
}

/** The selection after toggling a lead together with its range. */
function toggled(before: readonly string[], id: string, range: readonly string[]): string[] {
  const without = before.filter((one) => !range.includes(one))
  return before.includes(id) ? without : [...without, ...range]
}

/** The ids from one lead to another, inclusive, in display order. */
export function between(shown: readonly Pick<Lead, 'id'>[], from: string | null, to: string): string[] {
  const ids = shown.map(({ id }) => id)
  const [one, other] = [ids.indexOf(from ?? to), ids.indexOf(to)]
  return one === -1 || other === -1 ? [to] : ids.slice(Math.min(one, other), Math.max(one, other) + 1)
}
