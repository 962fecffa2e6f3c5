import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { List } from '@x-automated/contract/lists'
import { Pencil, Trash2 } from 'lucide-react'
import { api, errorWords } from '../../api'
import { Button, IconButton } from '../../ui/button'
import { useConfirm } from '../../ui/confirm'
import { DateTime } from '../../ui/date-time'
import { SkeletonRows } from '../../ui/skeleton'
import { Table, Td, Th, Tr } from '../../ui/table'
import { toast } from '../../ui/toast'
import { Tooltip } from '../../ui/tooltip'

interface ListsTableProps {
  /** Undefined while they are coming. */
  lists: readonly List[] | undefined
  stale: boolean
  onView: (list: List) => void
  onManage: (list: List) => void
  onEdit: (list: List) => void
}

export function ListsTable({ lists, stale, onView, onManage, onEdit }: ListsTableProps) {
  const { remove, removing } = useRemoveList()
  return (
    <Table label="Lists" stale={stale}>
      <thead>
        <tr>
          <Th>Name</Th>
          <Th end>Leads</Th>
          <Th>Created</Th>
          <Th>
            <span className="sr-only">Actions</span>
          </Th>
        </tr>
      </thead>
      <tbody>
        {lists ? (
          lists.map((list) => (
            <Tr key={list.id}>
              <Td className="md:w-1/2 md:max-w-0">
                <span className="grid min-w-0 max-md:pe-24">
                  <bdi id={`list-${list.id}`} className="font-strong wrap-anywhere">
                    {list.name}
                  </bdi>
                  {list.description && (
                    <bdi className="line-clamp-2 text-muted wrap-anywhere" title={list.description}>
                      {list.description}
                    </bdi>
                  )}
                </span>
              </Td>
              <Td label="Leads" end>
                {list.leadCount.toLocaleString('en-US')}
              </Td>
              <Td label="Created" className="md:whitespace-nowrap">
                <DateTime value={list.createdAt} precision="day" />
              </Td>
              <Td className="md:w-px">
                <span className="flex flex-wrap items-center gap-2 max-md:pt-1 md:flex-nowrap md:justify-end">
                  <Button size="sm" aria-describedby={`list-${list.id}`} onClick={() => onView(list)}>
                    View Leads
                  </Button>
                  <Button size="sm" aria-describedby={`list-${list.id}`} onClick={() => onManage(list)}>
                    Manage Leads
                  </Button>
                  <span className="flex max-md:absolute max-md:inset-e-2 max-md:top-2">
                    <Tooltip words="Rename">
                      <IconButton
                        size="sm"
                        label="Rename"
                        aria-describedby={`list-${list.id}`}
                        onClick={() => onEdit(list)}
                      >
                        <Pencil aria-hidden />
                      </IconButton>
                    </Tooltip>
                    <Tooltip words="Delete">
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

/** Deletes a list once it is confirmed. */
function useRemoveList() {
  const queries = useQueryClient()
  const confirm = useConfirm()
  const removal = useMutation(
    api.lists.remove.mutationOptions({
      onError: (error) => toast.error(errorWords(error, 'Failed to delete list. Please try again.')),
      // Campaigns that wrote to it say N/A now.
      onSettled: () =>
        Promise.all([
          queries.invalidateQueries({ queryKey: api.lists.key() }),
          queries.invalidateQueries({ queryKey: api.campaigns.key() }),
        ]),
    }),
  )
  const remove = async ({ id, name }: List) => {
    const sure = await confirm({
      title: `Delete "${name}"?`,
      body: (
        <>
          <span className="block">
            Are you sure you want to delete this list? This will also remove all associated leads.
          </span>
          <span className="block pt-2">They leave the list only: each stays on your Leads page.</span>
        </>
      ),
      confirm: 'Delete list',
      danger: true,
    })
    if (sure) removal.mutate({ id }, { onSuccess: () => toast.success(`List "${name}" deleted.`) })
  }
  return { remove, removing: removal.isPending ? removal.variables.id : null }
}
