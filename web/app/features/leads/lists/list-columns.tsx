import { useMutation } from '@tanstack/react-query'
import { formatNumber, formatPercent } from '@x-automated/contract/format'
import type { List } from '@x-automated/contract/leads/lists'
import { Copy, ListFilter, Pencil, Rocket, Trash2 } from 'lucide-react'
import type { ReactElement } from 'react'
import { generatePath, Link } from 'react-router'
import { api, refusalText } from '../../../api'
import type { Column } from '../../../paged-table'
import { paths } from '../../../paths'
import { usePending } from '../../../pending'
import { Badge } from '../../../ui/badge'
import { Button, IconButton, iconButtonClass } from '../../../ui/button'
import { DateTime } from '../../../ui/date-time'
import { toast } from '../../../ui/toast'
import { Tooltip } from '../../../ui/tooltip'
import { useRefresh } from '../../../use-refresh'
import { useIsOffered } from '../../identity/people/use-role'
import { ContactCounts } from './list-leads-dialog'
import { startCampaignPath } from './start-campaign'
import { useRemoveList } from './use-remove-list'

interface ListActionsProps {
  onView: (list: List) => void
  onManage: (list: List) => void
  onEdit: (list: List) => void
}

/** The columns of the My Lists page. */
export const listColumns = (actions: ListActionsProps): Column<List>[] => [
  {
    name: 'Name',
    bare: true,
    className: 'md:w-1/2 md:max-w-0',
    cell: (list) => (
      <span className="grid min-w-0 max-md:pe-40">
        <span className="flex flex-wrap items-center gap-2">
          <Link
            id={`list-${list.id}`}
            to={generatePath(paths.list, { listId: list.id })}
            className="rounded-sm font-strong wrap-anywhere underline-offset-4 hover:underline"
          >
            <bdi>{list.name}</bdi>
          </Link>
          {list.filter && <Badge icon={<ListFilter />}>Smart</Badge>}
        </span>
        {list.description && (
          <bdi className="line-clamp-2 text-muted wrap-anywhere" title={list.description}>
            {list.description}
          </bdi>
        )}
      </span>
    ),
  },
  {
    name: 'Leads',
    end: true,
    cell: (list) => (
      <span className="grid md:justify-items-end">
        <span>{formatNumber(list.leadCount)}</span>
        <span className="text-xs whitespace-nowrap">
          <ContactCounts list={list} />
        </span>
      </span>
    ),
  },
  {
    name: 'Replies',
    end: true,
    cell: ({ replyCount, sentCount }) => (
      <span className="grid md:justify-items-end">
        <span>{formatNumber(replyCount)}</span>
        {sentCount > 0 && (
          <span className="text-xs whitespace-nowrap text-muted">{formatPercent(replyCount / sentCount, 1)}</span>
        )}
      </span>
    ),
  },
  {
    name: 'Created',
    className: 'text-muted md:whitespace-nowrap',
    cell: ({ createdAt }) => <DateTime value={createdAt} precision="day" />,
  },
  { name: 'Actions', hidden: true, className: 'md:w-px', cell: (list) => <ListActions list={list} {...actions} /> },
]

/** A list's buttons. Viewers can only open it. */
export function ListActions({ list, onView, onManage, onEdit }: ListActionsProps & { list: List }) {
  const mayWrite = useIsOffered('member')
  const removal = useRemoveList('list')
  const { duplicate, isDuplicating } = useDuplicateList(list.id)
  const describedBy = `list-${list.id}`
  const iconButton = (label: string, icon: ReactElement, onClick: () => void, loading = false) => (
    <Tooltip text={label}>
      <IconButton
        icon={icon}
        size="sm"
        label={label}
        aria-describedby={describedBy}
        loading={loading}
        onClick={onClick}
      />
    </Tooltip>
  )
  return (
    <span className="flex flex-wrap items-center gap-2 max-md:pt-1 md:flex-nowrap md:justify-end md:gap-0.5">
      <Button
        size="sm"
        variant="ghost"
        className="max-md:border-control"
        aria-describedby={describedBy}
        onClick={() => onView(list)}
      >
        View Leads
      </Button>
      {mayWrite && (
        <>
          <Button
            size="sm"
            variant="ghost"
            className="max-md:border-control"
            aria-describedby={describedBy}
            onClick={() => onManage(list)}
          >
            {list.filter ? 'Edit filter' : 'Manage Leads'}
          </Button>
          <span className="flex max-md:absolute max-md:inset-e-2 max-md:top-2">
            <Tooltip text="Start campaign">
              <Link
                to={startCampaignPath(list)}
                aria-label="Start campaign"
                aria-describedby={describedBy}
                className={iconButtonClass({ size: 'sm' })}
              >
                <Rocket />
              </Link>
            </Tooltip>
            {iconButton('Rename', <Pencil />, () => onEdit(list))}
            {iconButton('Duplicate', <Copy />, duplicate, isDuplicating)}
            {iconButton('Delete', <Trash2 />, () => removal.run(list), removal.isPending)}
          </span>
        </>
      )}
    </span>
  )
}

/** Copies a list with its leads or its filter. */
export function useDuplicateList(id: string, onDone?: (copy: List) => unknown) {
  const refresh = useRefresh()
  const copying = useMutation(
    api.lists.duplicate.mutationOptions({
      onSuccess(copy) {
        toast.success(`List “${copy.name}” created.`)
        return onDone?.(copy)
      },
      onError: (error) => toast.error(refusalText(error, 'Failed to create list. Please try again.')),
      onSettled: () => refresh(api.lists),
    }),
  )
  // Copying a long list takes a while. The list still shows as being copied after the user has left
  // and reopened the page.
  const pending = usePending<{ id: string }>(api.lists.duplicate.mutationKey())
  return { duplicate: () => copying.mutate({ id }), isDuplicating: pending.some((item) => item.id === id) }
}
