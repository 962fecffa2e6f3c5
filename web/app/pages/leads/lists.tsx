import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { ListPlus, Plus } from 'lucide-react'
import { useState } from 'react'
import { api, refusalText } from '../../api'
import { RoleNotice, VIEWER_TEXT } from '../../features/identity/people/role-notice'
import { useIsOffered } from '../../features/identity/people/use-role'
import { listColumns } from '../../features/leads/lists/list-columns'
import { useListDialogs } from '../../features/leads/lists/list-dialogs'
import SampleBar from '../../features/overview/sample-data/sample-bar'
import { pageMeta } from '../../features/overview/shell/page-meta'
import type { SignedInHandle } from '../../features/overview/shell/signed-in'
import { PagedTable } from '../../paged-table'
import { Button } from '../../ui/button'
import { EmptyState } from '../../ui/empty-state'
import { PageHeader } from '../../ui/page-header'

export const meta = () => pageMeta('My Lists', 'Groups of leads for your campaigns.')

export const handle: SignedInHandle = {
  loading: 'Loading user session...',
  loginNotice: 'Please log in to view your lists.',
}

const PAGE_SIZE = 25

/** The My Lists page. */
export default function Lists() {
  const [page, setPage] = useState(1)
  const dialogs = useListDialogs()
  const mayWrite = useIsOffered('member')
  const lists = useQuery(
    api.lists.list.queryOptions({ input: { page, pageSize: PAGE_SIZE }, placeholderData: keepPreviousData }),
  )
  const create = mayWrite && (
    <Button variant="primary" icon={<Plus />} onClick={dialogs.create}>
      Create List
    </Button>
  )
  return (
    <>
      <PageHeader
        title="My Lists"
        description="Groups of leads for your campaigns."
        actions={lists.data?.total !== 0 && create}
      />
      <div className="pb-4 empty:hidden">
        <RoleNotice needs="member">{VIEWER_TEXT}</RoleNotice>
      </div>
      <PagedTable
        label="Lists"
        query={lists}
        rows={lists.data?.lists}
        columns={listColumns({ onView: dialogs.view, onManage: dialogs.manage, onEdit: dialogs.edit })}
        loading="Loading lists…"
        failure={(error) => refusalText(error, 'Failed to fetch lists. Please try again.')}
        page={page}
        pageSize={PAGE_SIZE}
        onChange={setPage}
        noun="lists"
        empty={
          <EmptyState
            icon={<ListPlus />}
            title="No lists found. Create your first list to get started!"
            action={create}
          >
            Create a list to group leads for a campaign.
          </EmptyState>
        }
      />
      {lists.data?.lists.some(({ isSample }) => isSample) && (
        <div className="pt-4">
          <SampleBar />
        </div>
      )}
      {dialogs.shown}
    </>
  )
}
