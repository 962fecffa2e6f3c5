import { useQueries } from '@tanstack/react-query'
import { formatCount, formatNumber } from '@x-automated/contract/format'
import type { LeadFilter } from '@x-automated/contract/leads/leads'
import { Ban, Ellipsis, HandHeart, ListPlus, Send, Tag as TagSign, Trash2, X } from 'lucide-react'
import { api } from '../../../api'
import { Button, IconButton } from '../../../ui/button'
import { Switch } from '../../../ui/choice'
import { Kbd } from '../../../ui/kbd'
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu'
import { useIsOffered } from '../../identity/people/use-role'
import { UsageNotice } from '../../platform/billing/usage-notice'
import { type Picked, pickedCount } from './lead-selection'
import { messageableParts } from './lead-status'
import type { LeadsSelection } from './use-leads-table'

/** Actions on several leads, in a dialog or after a confirmation. */
export type LeadsAction = 'send' | 'list' | 'tag' | 'basis' | 'tags' | 'suppress' | 'remove'

interface LeadsToolbarProps {
  filter: LeadFilter
  /** Null if unknown. */
  total: number | null
  /** Whether counting the total failed. */
  isUncounted: boolean
  /** Whether `total` still belongs to the previous filter. */
  stale: boolean
  /** Null without a filter. */
  onClearFilter: (() => void) | null
  selection: LeadsSelection
  picked: Picked
  /** How many leads can be messaged; null if unknown. */
  messageable: number | null
  sending: boolean
  onAct: (action: LeadsAction, picked: Picked) => void
}

/** Actions for the selected leads, or for all that match the filter. */
export function LeadsToolbar({
  filter,
  total,
  isUncounted,
  stale,
  onClearFilter,
  selection,
  picked,
  messageable,
  sending,
  onAct,
}: LeadsToolbarProps) {
  const mayWrite = useIsOffered('member')
  const { includesMessaged } = selection
  const count = pickedCount(picked)
  const isPicked = selection.all !== null || selection.ids.length > 0
  const isUncertain = selection.all === 'messageable' && messageable === null
  const everyone: Picked = { everyone: filter, count: total ?? 0 }
  const allText = total === 1 ? 'the lead' : `all ${formatCount(everyone.count, 'lead')}`
  const selectable = includesMessaged ? total : messageable
  const onClear = isPicked ? selection.clear : onClearFilter

  return (
    <div className="-mx-4 flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 px-4 py-1.5 text-ui md:-mx-6 md:px-6">
      <p className="text-muted" role="status" data-numeric>
        {isPicked
          ? isUncertain
            ? 'Counting…'
            : `${formatNumber(count)} selected`
          : total !== null
            ? formatCount(total, 'lead')
            : isUncounted
              ? 'Not counted'
              : 'Counting…'}
      </p>
      {onClear && (
        <Button size="sm" variant="ghost" icon={<X />} className="-ms-2 text-ui! font-normal!" onClick={onClear}>
          {isPicked ? 'Clear selection' : 'Clear filters'}
        </Button>
      )}
      {selection.table.getIsAllPageRowsSelected() && !selection.all && selectable !== null && selectable > count && (
        <Button
          size="sm"
          variant="ghost"
          className="text-ui! font-normal!"
          disabled={stale}
          onClick={selection.pickAll}
        >
          All {formatCount(selectable, includesMessaged ? 'lead' : 'messageable lead')} in this view
        </Button>
      )}
      {/* From 80% of the limit on, the notice is a warning and moves to the top. */}
      <div className="empty:hidden has-[[role=status]]:-order-1 has-[[role=status]]:w-full has-[[role=status]]:py-1.5 max-sm:hidden max-sm:has-[[role=status]]:block">
        <UsageNotice what="dms" />
      </div>
      {mayWrite && (
        <div className="ms-auto flex flex-wrap items-center gap-1.5">
          <Switch
            label={
              <>
                Include people already messaged <Kbd>X</Kbd>
              </>
            }
            aria-keyshortcuts="X"
            checked={includesMessaged}
            onChange={selection.toggleMessaged}
          />
          {isPicked && (
            <>
              <Button
                size="sm"
                className="text-ui!"
                icon={<ListPlus />}
                aria-keyshortcuts="L"
                disabled={isUncertain}
                onClick={() => onAct('list', picked)}
              >
                <span className="max-sm:sr-only">Add to list</span> <Kbd>L</Kbd>
              </Button>
              <Button
                size="sm"
                className="text-ui!"
                icon={<TagSign />}
                aria-keyshortcuts="T"
                disabled={isUncertain}
                onClick={() => onAct('tag', picked)}
              >
                <span className="max-sm:sr-only">Tag</span> <Kbd>T</Kbd>
              </Button>
              {includesMessaged && (
                <p id="send-off" className="text-muted max-md:w-full">
                  To send, turn off “Include people already messaged”.
                </p>
              )}
              <Button
                size="sm"
                variant="primary"
                icon={<Send />}
                loading={sending}
                disabled={includesMessaged || isUncertain}
                aria-describedby={includesMessaged ? 'send-off' : undefined}
                onClick={() => onAct('send', picked)}
              >
                Send DM{count > 1 && ` to ${formatNumber(count)}`}
              </Button>
            </>
          )}
          <Menu
            trigger={
              <IconButton
                icon={<Ellipsis />}
                label={isPicked ? 'More for the selected leads' : 'More for all leads'}
                size="sm"
              />
            }
          >
            <MenuItem icon={<HandHeart />} disabled={count === 0} onSelect={() => onAct('basis', picked)}>
              Set contact basis
            </MenuItem>
            <MenuItem icon={<TagSign />} onSelect={() => onAct('tags', picked)}>
              Manage tags
            </MenuItem>
            <MenuSeparator />
            <MenuItem danger icon={<Ban />} disabled={count === 0} onSelect={() => onAct('suppress', picked)}>
              Suppress leads
            </MenuItem>
            <MenuItem danger icon={<Trash2 />} disabled={count === 0} onSelect={() => onAct('remove', picked)}>
              Delete leads
            </MenuItem>
            {/* Includes leads that cannot be messaged. Disabled while `total` belongs to the previous filter. */}
            {!isPicked && everyone.count > 0 && (
              <>
                <MenuSeparator />
                <MenuItem icon={<ListPlus />} disabled={stale} onSelect={() => onAct('list', everyone)}>
                  Add {allText} to a list
                </MenuItem>
                <MenuItem icon={<TagSign />} disabled={stale} onSelect={() => onAct('tag', everyone)}>
                  Tag {allText}
                </MenuItem>
                <MenuItem danger icon={<Trash2 />} disabled={stale} onSelect={() => onAct('remove', everyone)}>
                  Delete {allText}
                </MenuItem>
              </>
            )}
          </Menu>
        </div>
      )}
    </div>
  )
}

/** The selection, and how many matching leads can be messaged (null if unknown). */
export function usePicked(filter: LeadFilter, total: number | null, selection: LeadsSelection) {
  const { includesMessaged, all, ids, table } = selection
  // The count is fetched only once all leads, or all leads on this page, are selected.
  const isPageSelected = !includesMessaged && table.getIsAllPageRowsSelected() && (total ?? 0) > ids.length
  const messageable = useMessageableCount(filter, all === 'messageable' || isPageSelected)
  const picked: Picked = !all
    ? { ids }
    : all === 'everyone'
      ? { everyone: filter, count: total ?? 0 }
      : { matching: filter, count: messageable ?? 0 }
  return { picked, messageable }
}

/** How many matching leads can be messaged; null if unknown or not `enabled`. */
function useMessageableCount(filter: LeadFilter, enabled: boolean): number | null {
  const parts = useQueries({
    queries: messageableParts(filter).map((part) => api.leads.count.queryOptions({ input: part, enabled })),
  })
  return parts.reduce<number | null>((sum, { data }) => (sum === null || !data ? null : sum + data.total), 0)
}
