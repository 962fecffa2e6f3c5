import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { List } from '@x-automated/contract/leads/lists'
import { ListPlus, Plus } from 'lucide-react'
import { useState } from 'react'
import { api, refusalText } from '../../api'
import { RoleNotice, VIEWER_TEXT } from '../../features/identity/people/role-notice'
import { useIsOffered } from '../../features/identity/people/use-role'
import { ListFormDialog } from '../../features/leads/lists/list-form-dialog'
import { ListLeadsDialog } from '../../features/leads/lists/list-leads-dialog'
import { ListsTable } from '../../features/leads/lists/lists-table'
import { ManageLeadsDialog } from '../../features/leads/lists/manage-leads-dialog'
import { pageMeta } from '../../features/overview/shell/page-meta'
import type { SignedInHandle } from '../../features/overview/shell/signed-in'
import { QueryError } from '../../query-error'
import { Button } from '../../ui/button'
import { EmptyState } from '../../ui/empty-state'
import { PageHeader } from '../../ui/page-header'
import { Pager } from '../../ui/pager'
import { LoadingText } from '../../ui/skeleton'

export const meta = () => pageMeta('My Lists', 'Groups of leads for your campaigns.')

export const handle: SignedInHandle = {
  loading: 'Loading user session...',
  loginNotice: 'Please log in to view your lists.',
}

const PAGE_SIZE = 25

/** The open dialog. Kept while it closes, so that its content stays during the animation. */
interface Task {
  kind: 'create' | 'edit' | 'view' | 'manage'
  list: List | null
  open: boolean
}

/** The My Lists page. */
export default function Lists() {
  const [page, setPage] = useState(1)
  const [task, setTask] = useState<Task | null>(null)
  const [turn, setTurn] = useState(0)
  const mayWrite = useIsOffered('member')
  const lists = useQuery(
    api.lists.list.queryOptions({ input: { page, pageSize: PAGE_SIZE }, placeholderData: keepPreviousData }),
  )
  const start = (kind: Task['kind'], list: List | null = null) => {
    setTask({ kind, list, open: true })
    setTurn((before) => before + 1)
  }
  const close = () => setTask((now) => now && { ...now, open: false })
  const create = mayWrite && (
    <Button variant="primary" icon={<Plus aria-hidden />} onClick={() => start('create')}>
      Create List
    </Button>
  )
  const empty = lists.data?.total === 0
  return (
    <>
      <PageHeader
        title="My Lists"
        description="Groups of leads for your campaigns."
        actions={empty ? undefined : create}
      />
      <div className="pb-4 empty:hidden">
        <RoleNotice needs="member">{VIEWER_TEXT}</RoleNotice>
      </div>
      {lists.isError && !lists.data ? (
        <QueryError query={lists}>{refusalText(lists.error, 'Failed to fetch lists. Please try again.')}</QueryError>
      ) : empty ? (
        <EmptyState
          icon={<ListPlus aria-hidden />}
          title="No lists found. Create your first list to get started!"
          action={create}
        >
          Create a list to group leads for a campaign.
        </EmptyState>
      ) : (
        <>
          {lists.isPending && <LoadingText>Loading lists…</LoadingText>}
          <ListsTable
            lists={lists.data?.lists}
            stale={lists.isPlaceholderData}
            onView={(list) => start('view', list)}
            onManage={(list) => start(list.filter ? 'edit' : 'manage', list)}
            onEdit={(list) => start('edit', list)}
          />
          <Pager page={page} pageSize={PAGE_SIZE} query={lists} onChange={setPage} noun="lists" />
        </>
      )}
      {task && (task.kind === 'create' || task.kind === 'edit') && (
        <ListFormDialog key={turn} list={task.list} open={task.open} onClose={close} />
      )}
      {task?.list && task.kind === 'view' && (
        <ListLeadsDialog
          key={turn}
          list={task.list}
          open={task.open}
          onClose={close}
          onManage={() => start(task.list?.filter ? 'edit' : 'manage', task.list)}
        />
      )}
      {task?.list && task.kind === 'manage' && (
        <ManageLeadsDialog key={turn} list={task.list} open={task.open} onClose={close} />
      )}
    </>
  )
}
