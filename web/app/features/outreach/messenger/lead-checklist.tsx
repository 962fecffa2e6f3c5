import { useVirtualizer } from '@tanstack/react-virtual'
import type { OfferedLead } from '@x-automated/contract/leads/leads'
import { useEffect, useRef } from 'react'
import { Avatar } from '../../../ui/avatar'
import { StatusBadge } from '../../../ui/badge'
import { Checkbox } from '../../../ui/choice'
import { Skeleton } from '../../../ui/skeleton'
import { SuppressedBadge } from '../../leads/leads/lead-parts'
import { SUPPRESSED_HINT } from '../../leads/leads/lead-status'

const ROW_PX = 40
const BOX_PX = 350
/** How many rows are rendered outside of the visible part. If the end is this close, more leads load. */
const OVERSCAN = 8

interface LeadChecklistProps {
  leads: readonly OfferedLead[]
  total: number
  picked: ReadonlySet<string>
  canPick: (lead: OfferedLead) => boolean
  onPick: (lead: OfferedLead, on: boolean) => void
  /** Loads more leads. Undefined once all are loaded. */
  loadMore: (() => void) | undefined
  disabled: boolean
}

/** A scrolling list of leads with checkboxes. Only visible rows are rendered. */
export function LeadChecklist({ leads, total, picked, canPick, onPick, loadMore, disabled }: LeadChecklistProps) {
  const box = useRef<HTMLUListElement>(null)
  const rows = useVirtualizer({
    count: leads.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN,
  })
  const visible = rows.getVirtualItems()
  const last = visible.at(-1)?.index ?? 0
  useEffect(() => {
    if (last >= leads.length - OVERSCAN) loadMore?.()
  }, [last, leads.length, loadMore])
  const before = visible[0]?.start ?? 0
  const after = rows.getTotalSize() - (visible.at(-1)?.end ?? 0)
  return (
    <ul
      ref={box}
      aria-label="Leads to message"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard
      tabIndex={0}
      className="relative overflow-y-auto overscroll-contain rounded-lg border border-line bg-surface"
      style={{ maxHeight: BOX_PX }}
    >
      {before > 0 && <li aria-hidden style={{ height: before }} />}
      {visible.map(({ index }) => {
        const lead = leads[index]
        if (!lead) return null
        const name = lead.name || lead.twitterHandle
        return (
          <li
            key={lead.id}
            aria-setsize={total}
            aria-posinset={index + 1}
            className="border-hair border-b last:border-b-0"
          >
            {/* biome-ignore lint/a11y/noLabelWithoutControl: the box is inside */}
            <label className="flex h-10 cursor-pointer items-center gap-3 px-3 hover:bg-hover has-disabled:cursor-not-allowed has-disabled:hover:bg-transparent has-checked:bg-accent-soft">
              <Checkbox
                aria-label={`Select ${name}`}
                checked={picked.has(lead.id)}
                disabled={disabled || !canPick(lead)}
                title={lead.suppressed ? SUPPRESSED_HINT : undefined}
                onChange={(event) => onPick(lead, event.currentTarget.checked)}
              />
              <Avatar name={name} src={lead.pictureUrl} size="sm" />
              <span className="flex min-w-0 flex-1 items-baseline gap-2">
                <bdi className="max-w-4/5 shrink-0 truncate font-strong">{name}</bdi>
                <span className="truncate text-muted">@{lead.twitterHandle}</span>
              </span>
              {lead.suppressed ? <SuppressedBadge /> : <StatusBadge status={lead.dmStatus} />}
            </label>
          </li>
        )
      })}
      {after > 0 && <li aria-hidden style={{ height: after }} />}
      {loadMore && (
        <li aria-hidden className="px-4 py-4">
          <Skeleton className="h-4 w-2/5" />
        </li>
      )}
    </ul>
  )
}
