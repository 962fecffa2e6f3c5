import type { Lead, LeadFilter, LeadQuery, OfferedLead } from '@x-automated/contract/leads'
import { useRef, useState } from 'react'
import { canBeMessaged, messageableParts } from './lead-status'

/** What a bulk action works on: leads picked one by one, or all that match the filter: of them those that can be messaged, or everyone. */
export type Picked = { ids: string[] } | ({ count: number } & ({ matching: LeadFilter } | { everyone: LeadFilter }))

/** How many leads are picked. */
export function pickedCount(picked: Picked): number {
  return 'ids' in picked ? picked.ids.length : picked.count
}

/** The bodies' part that names the leads, for each call it takes. */
export function selectionsOf(picked: Picked): ({ leadIds: string[] } | { filter: LeadQuery })[] {
  if ('everyone' in picked) return [{ filter: picked.everyone }]
  if ('matching' in picked) return messageableParts(picked.matching).map((filter) => ({ filter }))
  return picked.ids.length > 0 ? [{ leadIds: picked.ids }] : []
}

/** What one call is about. */
export type Selection = ({ leadIds: string[] } | { filter: LeadQuery }) & { cursor?: string }
/** What one call answers: where the next goes on; null: nothing is left. */
export type PartResponse = { cursor: string | null }

/**
 * Calls for everything that is picked, part after part: one call changes only so many of the leads that a filter means, and its answer says where the next goes on.
 * @param onAnswer told of each part as it is done; what is done stays done where a later one fails
 * @param goesOn asked before each part
 * @returns whether nothing is left
 */
export async function changeInParts<Answer extends PartResponse>(
  picked: Picked,
  call: (selection: Selection) => Promise<Answer>,
  onAnswer: (answer: Answer) => void,
  goesOn: () => boolean = () => true,
): Promise<boolean> {
  for (const selection of selectionsOf(picked)) {
    let next: { cursor?: string } | null = {}
    while (next) {
      if (!goesOn()) return false
      const answer: Answer = await call({ ...selection, ...next })
      onAnswer(answer)
      // A server of the version before names none.
      next = answer.cursor ? { cursor: answer.cursor } : null
    }
  }
  return true
}

interface KeyValueStorage {
  /** The filter under which these were picked: under another one nothing is. */
  under: string
  ids: ReadonlySet<string>
  all: boolean
}

/**
 * Which leads are picked, over all pages of one filter.
 * @param shown the leads of the page in sight; those that meanwhile were queued, sent or suppressed are no longer picked
 */
export function useLeadSelection(filter: LeadFilter, shown: readonly OfferedLead[]) {
  const under = JSON.stringify(filter)
  const nothing: KeyValueStorage = { under, ids: new Set(), all: false }
  const [kept, setKept] = useState<KeyValueStorage>(nothing)
  const current = kept.under === under ? kept : nothing

  /** The lead that was picked last: where a range begins. */
  const anchor = useRef<string | null>(null)
  const selectable = shown.filter(canBeMessaged)
  const selectableIds = selectable.map(({ id }) => id)
  const barred = new Set(shown.filter((lead) => !canBeMessaged(lead)).map(({ id }) => id))
  const idsOf = ({ ids }: KeyValueStorage) => [...ids].filter((id) => !barred.has(id))
  const has = (lead: OfferedLead) =>
    current.all ? canBeMessaged(lead) : current.ids.has(lead.id) && !barred.has(lead.id)
  // What is picked by then, not when this was drawn: several picks may come before it is drawn anew.
  const pick = (change: (before: KeyValueStorage) => Iterable<string>, all = false) =>
    setKept((before) => ({ under, ids: new Set(change(before.under === under ? before : nothing)), all }))

  return {
    ids: idsOf(current),
    /** All that match are picked, on every page. */
    all: current.all,
    has,
    /** Of the page in sight: none, some or all of those that can be picked. */
    page: !selectable.some(has) ? 'none' : selectable.every(has) ? 'all' : 'some',
    selectableHere: selectable.length,
    /** @param through takes all between the lead that was picked last and this one along */
    toggle(lead: OfferedLead, through = false) {
      const range = through ? between(selectable, anchor.current, lead.id) : [lead.id]
      anchor.current = lead.id
      // Out of all, one is left out: what stays is the page in sight.
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

/** What is picked once a lead was ticked or not any more, and with it all of the range. */
function toggled(before: readonly string[], id: string, range: readonly string[]): string[] {
  const without = before.filter((one) => !range.includes(one))
  return before.includes(id) ? without : [...without, ...range]
}

/** The ids from one lead to another, both with them, in the order in which they are shown. */
export function between(shown: readonly Pick<Lead, 'id'>[], from: string | null, to: string): string[] {
  const ids = shown.map(({ id }) => id)
  const [one, other] = [ids.indexOf(from ?? to), ids.indexOf(to)]
  return one === -1 || other === -1 ? [to] : ids.slice(Math.min(one, other), Math.max(one, other) + 1)
}
