import { useQueries } from '@tanstack/react-query'
import { formatCount, formatNumber } from '@x-automated/contract/format'
import type { LeadFilter } from '@x-automated/contract/leads/leads'
import { Ban, Ellipsis, HandHeart, ListPlus, Pencil, Send, Tag as TagSign, Trash2, X } from 'lucide-react'
import { api } from '../../../api'
import { Button, IconButton } from '../../../ui/button'
import { useConfirm } from '../../../ui/confirm'
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu'
import { shorten } from '../../../ui/shorten'
import { useDialogs } from '../../../ui/use-dialogs'
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

interface LeadsToolbarProps {
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
  // Offered once the whole page is selected.
  const offersAll = selection.table.getIsAllPageRowsSelected() && (total ?? 0) > selection.ids.length
  const messageable = useMessageableCount(filter, offersAll || selection.all)
  const picked: Picked = selection.all ? { matching: filter, count: messageable ?? 0 } : { ids: selection.ids }
  const count = pickedCount(picked)
  const everyone: Picked = { everyone: filter, count: total ?? 0 }
  const allText = total === 1 ? 'the lead' : `all ${formatCount(everyone.count, 'lead')}`
  const dialogs = useDialogs<{ kind: 'list' | 'tag' | 'basis' | 'tags' | 'message'; of?: Picked | undefined }>()
  const show = (kind: Parameters<typeof dialogs.show>[0]['kind'], of?: Picked) => dialogs.show({ kind, of })
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
  const onClear = count > 0 ? selection.clear : onClearFilter

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
        {onClear && (
          <Button size="sm" variant="ghost" icon={<X />} onClick={onClear}>
            {count > 0 ? 'Clear selection' : 'Clear filters'}
          </Button>
        )}
        {offersAll && !selection.all && messageable !== null && messageable > count && (
          <Button size="sm" variant="ghost" onClick={selection.pickAll}>
            Select all {formatCount(messageable, 'messageable lead')}
          </Button>
        )}
        {mayWrite && (
          <div className="ms-auto flex gap-2 max-sm:w-full max-sm:flex-wrap max-sm:[&>*:not(:last-child)]:flex-1">
            <Button size="sm" icon={<ListPlus />} disabled={count === 0} onClick={() => show('list')}>
              Add to list
            </Button>
            <Button size="sm" icon={<TagSign />} disabled={count === 0} onClick={() => show('tag')}>
              Tag
            </Button>
            <Button
              size="sm"
              variant={count > 0 ? 'primary' : 'secondary'}
              icon={<Send />}
              disabled={count === 0}
              loading={sending}
              onClick={send}
            >
              Send DM{count > 1 && ` to ${formatNumber(count)}`}
            </Button>
            <Menu
              trigger={
                <IconButton
                  icon={<Ellipsis />}
                  label={count > 0 ? 'More for the selected leads' : 'More for all leads'}
                  size="sm"
                  variant="secondary"
                />
              }
            >
              <MenuItem icon={<HandHeart />} disabled={count === 0} onSelect={() => show('basis')}>
                Set contact basis
              </MenuItem>
              <MenuItem icon={<TagSign />} onSelect={() => show('tags')}>
                Manage tags
              </MenuItem>
              <MenuSeparator />
              <MenuItem danger icon={<Ban />} disabled={count === 0} onSelect={() => onSuppress(picked)}>
                Suppress leads
              </MenuItem>
              <MenuItem danger icon={<Trash2 />} disabled={count === 0} onSelect={() => onRemove(picked)}>
                Delete leads
              </MenuItem>
              {/* Includes leads that can't be selected. Disabled while `total` is of the previous filter. */}
              {count === 0 && everyone.count > 0 && (
                <>
                  <MenuSeparator />
                  <MenuItem icon={<TagSign />} disabled={stale} onSelect={() => show('tag', everyone)}>
                    Tag {allText}
                  </MenuItem>
                  <MenuItem danger icon={<Trash2 />} disabled={stale} onSelect={() => onRemove(everyone)}>
                    Delete {allText}
                  </MenuItem>
                </>
              )}
            </Menu>
          </div>
        )}
      </div>
      {mayWrite && (
        <p className="flex flex-wrap items-center gap-x-2 text-muted">
          <span className="min-w-0 wrap-anywhere">
            Quick DM: <bdi className="text-ink">“{shorten(message, MESSAGE_PREVIEW)}”</bdi>
          </span>
          <Button
            size="sm"
            variant="ghost"
            icon={<Pencil />}
            className="max-sm:-ms-2.5"
            onClick={() => show('message')}
          >
            Edit
          </Button>
        </p>
      )}
      {dialogs.render(({ kind, of = picked }, props) => {
        switch (kind) {
          case 'list':
            return <AddToList picked={of} onAdded={selection.clear} {...props} />
          case 'tag':
            return <TagDialog picked={of} onManage={() => show('tags')} {...props} />
          case 'tags':
            return <ManageTagsDialog {...props} />
          case 'basis':
            return <BasisDialog picked={of} {...props} />
          case 'message':
            return <MessageDialog message={message} onSave={onMessage} {...props} />
        }
      })}
    </div>
  )
}

/** How many matching leads can be messaged; null while unknown or not `enabled`. */
function useMessageableCount(filter: LeadFilter, enabled: boolean): number | null {
  const parts = useQueries({
    queries: messageableParts(filter).map((part) =>
      api.leads.list.queryOptions({ input: { ...part, page: 1, pageSize: 1 }, enabled }),
    ),
  })
  return parts.reduce<number | null>((sum, { data }) => (sum === null || !data ? null : sum + data.total), 0)
}
