import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { FolderPlus, List, Plus } from 'lucide-react'
import { useState } from 'react'
import { api, refusalText } from '../../../api'
import { paths } from '../../../paths'
import { QueryError } from '../../../query-error'
import { Button, ButtonLink } from '../../../ui/button'
import { EmptyState } from '../../../ui/empty-state'
import { Pager } from '../../../ui/pager'
import { LoadingText, Skeleton } from '../../../ui/skeleton'
import { RoleNotice, VIEWER_TEXT } from '../../identity/people/role-notice'
import { useIsOffered } from '../../identity/people/use-role'
import { ListCard } from './list-card'
import { useListDialogs } from './list-dialogs'

const PAGE_SIZE = 12

/** The Lead Lists tab: lists as cards with the results of their campaigns. */
export function LeadLists() {
  const [page, setPage] = useState(1)
  const dialogs = useListDialogs(true)
  const mayWrite = useIsOffered('member')
  const lists = useQuery(
    api.lists.list.queryOptions({ input: { page, pageSize: PAGE_SIZE }, placeholderData: keepPreviousData }),
  )
  const create = mayWrite && (
    <Button variant="primary" icon={<Plus />} onClick={dialogs.create}>
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
          icon={<FolderPlus />}
          title="No campaigns yet. Create your first campaign to organize your leads."
          action={create}
        />
      ) : (
        <div className="grid gap-4">
          <div className="flex flex-wrap items-center justify-between gap-3">
            <ButtonLink to={paths.lists} variant="ghost" icon={<List />} className="-ms-3.5">
              My Lists
            </ButtonLink>
            {create}
          </div>
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
                    onView={() => dialogs.view(list)}
                    onManage={() => dialogs.manage(list)}
                  />
                ))
              : [1, 2, 3].map((index) => (
                  <li key={index}>
                    <Skeleton className="h-72 w-full" />
                  </li>
                ))}
          </ul>
          <Pager page={page} pageSize={PAGE_SIZE} query={lists} onChange={setPage} noun="campaigns" />
        </div>
      )}
      {dialogs.shown}
    </>
  )
}
