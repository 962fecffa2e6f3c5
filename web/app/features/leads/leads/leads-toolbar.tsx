import { useQueries } from '@tanstack/react-query'
import { formatCount, formatNumber } from '@x-automated/contract/format'
import type { LeadFilter } from '@x-automated/contract/leads/leads'
import { Ban, Ellipsis, HandHeart, ListPlus, Pencil, Send, Tag as TagSign, Trash2, X } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../api'
import { Button, IconButton } from '../../../ui/button'
import { useConfirm } from '../../../ui/confirm'
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu'
import { shorten } from '../../../ui/shorten'
import { useIsOffered } from '../../identity/people/use-role'
import { AddToList } from './add-to-list'
import { BasisDialog } from './basis-dialog'
import { type Picked, pickedCount } from './lead-selection'
import { messageableParts } from './lead-status'
import { SelectPageCheckbox } from './leads-table'
import { ManageTagsDialog } from './manage-tags-dialog'
import { MessageDialog } from './message-dialog'
import { TagDialog } from './tag-dialog'
import type { useLeadsTable } from './use-leads-table'

const MESSAGE_PREVIEW = 70

export interface LeadsToolbarProps {
  filter: LeadFilter
  /** Null while it is unknown. */
  total: number | null
  /** `total` is still that of the previous filter. */
  stale: boolean
  /** Null without a filter. */
  onClearFilter: (() => void) | null
  selection: ReturnType<typeof useLeadsTable>
  message: string
  onMessage: (message: string) => void
  sending: boolean
  onSend: (picked: Picked) => void
  onSuppress: (picked: Picked) => void
  onRemove: (picked: Picked) => void
}

/** Actions for the selected leads, or for all that match the filter. */
export function LeadsToolbar({
  filter,
  total,
  stale,
  onClearFilter,
  selection,
  message,
  onMessage,
  sending,
  onSend,
  onSuppress,
  onRemove,
}: LeadsToolbarProps) {
  const confirm = useConfirm()
  const mayWrite = useIsOffered('member')
  const [open, setOpen] = useState<'list' | 'message' | 'tag' | 'tags' | 'basis' | null>(null)
  /** The leads that the tag dialog was opened for; null means the selection. */
  const [tagged, setTagged] = useState<Picked | null>(null)
  const close = () => setOpen(null)
  // Offered once the whole page is selected.
  const offersAll = selection.table.getIsAllPageRowsSelected() && (total ?? 0) > selection.ids.length
  const messageable = useMessageableCount(filter, offersAll || selection.all)
  const picked: Picked = selection.all ? { matching: filter, count: messageable ?? 0 } : { ids: selection.ids }
  const count = pickedCount(picked)
  const everyone: Picked = { everyone: filter, count: total ?? 0 }

  const tag = (matched: Picked | null) => {
    setTagged(matched)
    setOpen('tag')
  }
  const send = async () => {
    const sure =
      'ids' in picked ||
      (await confirm({
        title: `Send a DM to ${formatCount(count, 'lead')}?`,
        body: `Each gets: “${shorten(message, 200)}” They go out one by one, within your sending limits.`,
        confirm: `Queue ${formatCount(count, 'DM')}`,
      }))
    if (sure) onSend(picked)
  }

  return (
    <div className="grid gap-2 pb-3">
      <div className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-2">
        {mayWrite && (
          <span className="md:hidden">
            <SelectPageCheckbox table={selection.table} />
          </span>
        )}
        <p className="text-muted" role="status" data-numeric>
          {count > 0 ? `${formatNumber(count)} selected` : total !== null && formatCount(total, 'lead')}
        </p>
        {count > 0 ? (
          <Button size="sm" variant="ghost" icon={<X aria-hidden />} onClick={selection.clear}>
            Clear selection
          </Button>
        ) : (
          onClearFilter && (
            <Button size="sm" variant="ghost" icon={<X aria-hidden />} onClick={onClearFilter}>
              Clear filters
            </Button>
          )
        )}
        {offersAll && !selection.all && messageable !== null && messageable > count && (
          <Button size="sm" variant="ghost" onClick={selection.pickAll}>
            Select all {formatCount(messageable, 'messageable lead')}
          </Button>
        )}
        {mayWrite && (
          <div className="ms-auto flex gap-2 max-sm:w-full max-sm:flex-wrap max-sm:[&>*:not(:last-child)]:flex-1">
            <Button size="sm" icon={<ListPlus aria-hidden />} disabled={count === 0} onClick={() => setOpen('list')}>
              Add to list
            </Button>
            <Button size="sm" icon={<TagSign aria-hidden />} disabled={count === 0} onClick={() => tag(null)}>
              Tag
            </Button>
            <Button
              size="sm"
              variant={count > 0 ? 'primary' : 'secondary'}
              icon={<Send aria-hidden />}
              disabled={count === 0}
              loading={sending}
              onClick={send}
            >
              Send DM{count > 1 && ` to ${formatNumber(count)}`}
            </Button>
            <MoreActions
              count={count}
              total={total ?? 0}
              stale={stale}
              onOpen={setOpen}
              onTagAll={() => tag(everyone)}
              onSuppress={() => onSuppress(picked)}
              onRemove={() => onRemove(picked)}
              onRemoveAll={() => onRemove(everyone)}
            />
          </div>
        )}
      </div>
      {mayWrite && <QuickMessage message={message} onEdit={() => setOpen('message')} />}
      <AddToList open={open === 'list'} onClose={close} picked={picked} onAdded={selection.clear} />
      <TagDialog open={open === 'tag'} onClose={close} picked={tagged ?? picked} onManage={() => setOpen('tags')} />
      <ManageTagsDialog open={open === 'tags'} onClose={close} />
      <BasisDialog open={open === 'basis'} onClose={close} picked={picked} />
      <MessageDialog
        open={open === 'message'}
        onClose={close}
        message={message}
        onSave={(next) => {
          onMessage(next)
          close()
        }}
      />
    </div>
  )
}

interface MoreActionsProps {
  /** Selected leads. */
  count: number
  total: number
  stale: boolean
  onOpen: (dialog: 'basis' | 'tags') => void
  onTagAll: () => void
  onSuppress: () => void
  onRemove: () => void
  onRemoveAll: () => void
}

/** Less frequent actions, and those for all matching leads. */
function MoreActions({ count, total, stale, onOpen, onTagAll, onSuppress, onRemove, onRemoveAll }: MoreActionsProps) {
  const all = total === 1 ? 'the lead' : `all ${formatCount(total, 'lead')}`
  return (
    <Menu
      trigger={
        <IconButton
          label={count > 0 ? 'More for the selected leads' : 'More for all leads'}
          size="sm"
          variant="secondary"
        >
          <Ellipsis aria-hidden />
        </IconButton>
      }
    >
      <MenuItem icon={<HandHeart aria-hidden />} disabled={count === 0} onSelect={() => onOpen('basis')}>
        Set contact basis
      </MenuItem>
      <MenuItem icon={<TagSign aria-hidden />} onSelect={() => onOpen('tags')}>
        Manage tags
      </MenuItem>
      <MenuSeparator />
      <MenuItem danger icon={<Ban aria-hidden />} disabled={count === 0} onSelect={onSuppress}>
        Suppress leads
      </MenuItem>
      <MenuItem danger icon={<Trash2 aria-hidden />} disabled={count === 0} onSelect={onRemove}>
        Delete leads
      </MenuItem>
      {/* Includes leads that can't be selected. Disabled while `total` is of the previous filter. */}
      {count === 0 && total > 0 && (
        <>
          <MenuSeparator />
          <MenuItem icon={<TagSign aria-hidden />} disabled={stale} onSelect={onTagAll}>
            Tag {all}
          </MenuItem>
          <MenuItem danger icon={<Trash2 aria-hidden />} disabled={stale} onSelect={onRemoveAll}>
            Delete {all}
          </MenuItem>
        </>
      )}
    </Menu>
  )
}

function QuickMessage({ message, onEdit }: { message: string; onEdit: () => void }) {
  return (
    <p className="flex flex-wrap items-center gap-x-2 text-muted">
      <span className="min-w-0 wrap-anywhere">
        Quick DM: <bdi className="text-ink">“{shorten(message, MESSAGE_PREVIEW)}”</bdi>
      </span>
      <Button size="sm" variant="ghost" icon={<Pencil aria-hidden />} className="max-sm:-ms-2.5" onClick={onEdit}>
        Edit
      </Button>
    </p>
  )
}

/** How many matching leads can be messaged; null while unknown or not `enabled`. */
function useMessageableCount(filter: LeadFilter, enabled: boolean): number | null {
  const parts = useQueries({
    queries: messageableParts(filter).map((part) =>
      api.leads.list.queryOptions({ input: { ...part, page: 1, pageSize: 1 }, enabled }),
    ),
  })
  let count = 0
  for (const { data } of parts) {
    if (data === undefined) return null
    count += data.total
  }
  return count
}
