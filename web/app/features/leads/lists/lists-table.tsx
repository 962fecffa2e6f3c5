import { useMutation, useQueryClient } from '@tanstack/react-query'
import { formatNumber } from '@x-automated/contract/format'
import type { List } from '@x-automated/contract/leads/lists'
import { Copy, ListFilter, Pencil, Trash2 } from 'lucide-react'
import { api, refusalText } from '../../../api'
import { usePending } from '../../../pending'
import { Badge } from '../../../ui/badge'
import { Button, IconButton } from '../../../ui/button'
import { DateTime } from '../../../ui/date-time'
import { SkeletonRows } from '../../../ui/skeleton'
import { ActionsTh, Table, Td, Th, Tr } from '../../../ui/table'
import { toast } from '../../../ui/toast'
import { Tooltip } from '../../../ui/tooltip'
import { useIsOffered } from '../../identity/people/use-role'
import { ContactCounts } from './list-counts'
import { useRemoveList } from './use-remove-list'

interface ListsTableProps {
  /** Undefined while they load. */
  lists: readonly List[] | undefined
  stale: boolean
  onView: (list: List) => void
  onManage: (list: List) => void
  onEdit: (list: List) => void
}

export function ListsTable({ lists, stale, onView, onManage, onEdit }: ListsTableProps) {
  const mayWrite = useIsOffered('member')
  const { remove, removing } = useRemoveList(DELETE_TEXT)
  const { duplicate, duplicating } = useDuplicateList()
  return (
    <Table label="Lists" stale={stale}>
      <thead>
        <tr>
          <Th>Name</Th>
          <Th end>Leads</Th>
          <Th>Created</Th>
          <ActionsTh />
        </tr>
      </thead>
      <tbody>
        {lists ? (
          lists.map((list) => (
            <Tr key={list.id}>
              <Td className="md:w-1/2 md:max-w-0">
                <span className="grid min-w-0 max-md:pe-32">
                  <span className="flex flex-wrap items-center gap-2">
                    <bdi id={`list-${list.id}`} className="font-strong wrap-anywhere">
                      {list.name}
                    </bdi>
                    {list.filter && <Badge icon={<ListFilter aria-hidden />}>Smart</Badge>}
                  </span>
                  {list.description && (
                    <bdi className="line-clamp-2 text-muted wrap-anywhere" title={list.description}>
                      {list.description}
                    </bdi>
                  )}
                </span>
              </Td>
              <Td label="Leads" end>
                <span className="grid md:justify-items-end">
                  <span>{formatNumber(list.leadCount)}</span>
                  <span className="text-xs whitespace-nowrap">
                    <ContactCounts list={list} />
                  </span>
                </span>
              </Td>
              <Td label="Created" className="md:whitespace-nowrap">
                <DateTime value={list.createdAt} precision="day" />
              </Td>
              <Td className="md:w-px">
                <span className="flex flex-wrap items-center gap-2 max-md:pt-1 md:flex-nowrap md:justify-end">
                  <Button size="sm" aria-describedby={`list-${list.id}`} onClick={() => onView(list)}>
                    View Leads
                  </Button>
                  {mayWrite && (
                    <>
                      <Button size="sm" aria-describedby={`list-${list.id}`} onClick={() => onManage(list)}>
                        {list.filter ? 'Edit filter' : 'Manage Leads'}
                      </Button>
                      <span className="flex max-md:absolute max-md:inset-e-2 max-md:top-2">
                        <Tooltip text="Rename">
                          <IconButton
                            size="sm"
                            label="Rename"
                            aria-describedby={`list-${list.id}`}
                            onClick={() => onEdit(list)}
                          >
                            <Pencil aria-hidden />
                          </IconButton>
                        </Tooltip>
                        <Tooltip text="Duplicate">
                          <IconButton
                            size="sm"
                            label="Duplicate"
                            aria-describedby={`list-${list.id}`}
                            loading={duplicating.has(list.id)}
                            onClick={() => duplicate(list)}
                          >
                            <Copy aria-hidden />
                          </IconButton>
                        </Tooltip>
                        <Tooltip text="Delete">
                          <IconButton
                            size="sm"
                            label="Delete"
                            aria-describedby={`list-${list.id}`}
                            loading={removing === list.id}
                            onClick={() => remove(list)}
                          >
                            <Trash2 aria-hidden />
                          </IconButton>
                        </Tooltip>
                      </span>
                    </>
                  )}
                </span>
              </Td>
            </Tr>
          ))
        ) : (
          <SkeletonRows columns={4} />
        )}
      </tbody>
    </Table>
  )
}

const DELETE_TEXT = {
  question: 'Are you sure you want to delete this list? This will also remove all associated leads.',
  note: 'The leads themselves stay on your Leads page.',
  confirm: 'Delete list',
  failure: 'Failed to delete list. Please try again.',
  done: (name: string) => `List “${name}” deleted.`,
}

/** Copies a list with its leads or filter. */
function useDuplicateList() {
  const queries = useQueryClient()
  const copying = useMutation(
    api.lists.duplicate.mutationOptions({
      onSuccess: ({ name }) => toast.success(`List “${name}” created.`),
      onError: (error) => toast.error(refusalText(error, 'Failed to create list. Please try again.')),
      onSettled: () => queries.invalidateQueries({ queryKey: api.lists.key() }),
    }),
  )
  // Copying a long list takes a while: keeps showing it after leaving and reopening the page.
  const pending = usePending<{ id: string }>(api.lists.duplicate.mutationKey())
  return {
    duplicate: ({ id }: List) => copying.mutate({ id }),
    duplicating: new Set(pending.map(({ id }) => id)),
  }
}
