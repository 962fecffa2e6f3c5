import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { List } from '@x-automated/contract/leads/lists'
import { FolderPlus, Plus } from 'lucide-react'
import { useState } from 'react'
import { api, refusalText } from '../../../api'
import { QueryError } from '../../../query-error'
import { Button } from '../../../ui/button'
import { EmptyState } from '../../../ui/empty-state'
import { Pager } from '../../../ui/pager'
import { LoadingText, Skeleton } from '../../../ui/skeleton'
import { RoleNotice, VIEWER_TEXT } from '../../identity/people/role-notice'
import { useIsOffered } from '../../identity/people/use-role'
import { ListCard } from './list-card'
import { ListCardDialog } from './list-card-dialog'
import { ListFormDialog } from './list-form-dialog'
import { ManageLeadsDialog } from './manage-leads-dialog'
import { NewCampaignDialog } from './new-campaign-dialog'
import { useRemoveList } from './use-remove-list'

const PAGE_SIZE = 12

const DELETE_TEXT = {
  question: 'Are you sure you want to delete this campaign?',
  note: 'Its leads stay on your Leads page. Campaigns that used it keep their messages.',
  confirm: 'Delete campaign',
  failure: 'Failed to delete campaign. Please try again.',
  done: (name: string) => `Campaign “${name}” deleted.`,
}

/** The open dialog. Kept while it closes, so that its content stays during the animation. */
interface OpenDialog {
  kind: 'create' | 'view' | 'add'
  list: List | null
  open: boolean
}

/** The Lead Lists tab: lists as cards with the results of their campaigns. */
export function LeadLists() {
  const [page, setPage] = useState(1)
  const [dialog, setDialog] = useState<OpenDialog | null>(null)
  const [dialogKey, setDialogKey] = useState(0)
  const mayWrite = useIsOffered('member')
  const lists = useQuery(
    api.lists.list.queryOptions({ input: { page, pageSize: PAGE_SIZE }, placeholderData: keepPreviousData }),
  )
  const { remove, removing } = useRemoveList(DELETE_TEXT)
  const start = (kind: OpenDialog['kind'], list: List | null = null) => {
    setDialog({ kind, list, open: true })
    setDialogKey((before) => before + 1)
  }
  const close = () => setDialog((now) => now && { ...now, open: false })
  const create = mayWrite && (
    <Button variant="primary" icon={<Plus aria-hidden />} onClick={() => start('create')}>
      Create New Campaign
    </Button>
  )
  return (
    <>
      <div className="pb-4 empty:hidden">
        <RoleNotice needs="member">{VIEWER_TEXT}</RoleNotice>
      </div>
      {lists.isError && !lists.data ? (
        <QueryError query={lists}>{refusalText(lists.error, 'Failed to load campaigns. Please try again.')}</QueryError>
      ) : lists.data?.total === 0 ? (
        <EmptyState
          icon={<FolderPlus aria-hidden />}
          title="No campaigns yet. Create your first campaign to organize your leads."
          action={create}
        />
      ) : (
        <div className="grid gap-4">
          <div className="flex justify-end empty:hidden">{create}</div>
          {lists.isPending && <LoadingText>Loading campaigns…</LoadingText>}
          <ul
            aria-label="Campaigns"
            aria-busy={lists.isPlaceholderData || undefined}
            className="grid gap-4 transition-opacity aria-busy:opacity-60 sm:grid-cols-2 lg:grid-cols-3"
          >
            {lists.data
              ? lists.data.lists.map((list) => (
                  <ListCard
                    key={list.id}
                    list={list}
                    removing={removing === list.id}
                    onView={() => start('view', list)}
                    onRemove={() => remove(list)}
                  />
                ))
              : [1, 2, 3].map((place) => (
                  <li key={place}>
                    <Skeleton className="h-44 w-full" />
                  </li>
                ))}
          </ul>
          <Pager page={page} pageSize={PAGE_SIZE} query={lists} onChange={setPage} noun="campaigns" />
        </div>
      )}
      {dialog?.kind === 'create' && <NewCampaignDialog key={dialogKey} open={dialog.open} onClose={close} />}
      {dialog?.list && dialog.kind === 'view' && (
        <ListCardDialog
          key={dialogKey}
          list={dialog.list}
          open={dialog.open}
          onClose={close}
          onAdd={() => start('add', dialog.list)}
        />
      )}
      {dialog?.list &&
        dialog.kind === 'add' &&
        (dialog.list.filter ? (
          <ListFormDialog key={dialogKey} list={dialog.list} open={dialog.open} onClose={close} />
        ) : (
          <ManageLeadsDialog key={dialogKey} list={dialog.list} open={dialog.open} onClose={close} />
        ))}
    </>
  )
}
