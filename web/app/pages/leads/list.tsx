import { useQuery } from '@tanstack/react-query'
import type { List } from '@x-automated/contract/leads/lists'
import { Copy, Download, Ellipsis, Pencil, Rocket, SearchX, Trash2 } from 'lucide-react'
import { generatePath, useNavigate, useParams } from 'react-router'
import { api, errorCode, errorText } from '../../api'
import { RoleNotice, VIEWER_TEXT } from '../../features/identity/people/role-notice'
import { useIsOffered } from '../../features/identity/people/use-role'
import { exportLeads } from '../../features/leads/leads/csv-files'
import { useDuplicateList } from '../../features/leads/lists/list-columns'
import { useListDialogs } from '../../features/leads/lists/list-dialogs'
import { ListHead } from '../../features/leads/lists/list-head'
import { ListPeople } from '../../features/leads/lists/list-people'
import { startCampaignPath } from '../../features/leads/lists/start-campaign'
import { useRemoveList } from '../../features/leads/lists/use-remove-list'
import SampleBar from '../../features/overview/sample-data/sample-bar'
import { pageMeta } from '../../features/overview/shell/page-meta'
import { paths } from '../../paths'
import { QueryError } from '../../query-error'
import { Button, ButtonLink, IconButton } from '../../ui/button'
import { EmptyState } from '../../ui/empty-state'
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu'
import { PageHeader } from '../../ui/page-header'
import { LoadingText, Skeleton } from '../../ui/skeleton'
import { toast } from '../../ui/toast'
import { useAction } from '../../use-action'

export const meta = () => pageMeta('List', 'The people on a list, and where things stand with each.')

/** One list with its people. */
export default function ListPage() {
  const { listId = '' } = useParams()
  const query = useQuery(api.lists.find.queryOptions({ input: { id: listId } }))
  const list = query.data
  const dialogs = useListDialogs()
  const mayWrite = useIsOffered('member')
  if (query.isError && (!list || isDeleted(query.error))) return <ListFailure query={query} />
  const manage = mayWrite && list && (
    <Button onClick={() => dialogs.manage(list)}>{list.filter ? 'Edit filter' : 'Manage Leads'}</Button>
  )
  return (
    <>
      <PageHeader
        title={list?.name ?? 'List'}
        description={list?.description && <bdi className="wrap-anywhere">{list.description}</bdi>}
        actions={
          mayWrite &&
          list && (
            <>
              <MoreActions list={list} onRename={() => dialogs.edit(list)} />
              {manage}
              <ButtonLink
                to={startCampaignPath(list)}
                variant={list.leadCount > 0 ? 'primary' : 'secondary'}
                icon={<Rocket aria-hidden />}
              >
                Start campaign
              </ButtonLink>
            </>
          )
        }
      />
      <div className="grid grid-cols-1 gap-6">
        <div className="empty:hidden">
          <RoleNotice needs="member">{VIEWER_TEXT}</RoleNotice>
        </div>
        {list?.isSample && <SampleBar leaveTo={paths.lists} />}
        <ListHead list={list} />
        {list ? (
          <ListPeople key={list.id} list={list} manage={manage} />
        ) : (
          <>
            <LoadingText>Loading list…</LoadingText>
            <Skeleton className="h-96" />
          </>
        )}
      </div>
      {dialogs.shown}
    </>
  )
}

function MoreActions({ list, onRename }: { list: List; onRename: () => void }) {
  const navigate = useNavigate()
  const removal = useRemoveList('list', () => navigate(paths.lists))
  const { duplicate, isDuplicating } = useDuplicateList(list.id, ({ id }) =>
    navigate(generatePath(paths.list, { listId: id })),
  )
  const download = useAction(() => exportLeads({ listId: list.id }), {
    onError: (error) => toast.error(`Failed to export leads: ${errorText(error)}`),
  })
  return (
    <Menu
      trigger={
        <IconButton
          icon={<Ellipsis />}
          label="More actions"
          variant="secondary"
          loading={download.isPending || isDuplicating || removal.isPending}
        />
      }
    >
      <MenuItem icon={<Pencil />} onSelect={onRename}>
        Rename
      </MenuItem>
      <MenuItem icon={<Copy />} onSelect={duplicate}>
        Duplicate
      </MenuItem>
      <MenuItem icon={<Download />} disabled={list.leadCount === 0} onSelect={() => download.run()}>
        Export CSV
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={<Trash2 />} danger onSelect={() => removal.run(list)}>
        Delete list
      </MenuItem>
    </Menu>
  )
}

const isDeleted = (error: Error | null) => errorCode(error) === 'LEAD_LIST_NOT_FOUND'

/** Shown if the list can't be loaded. */
function ListFailure({ query }: { query: { error: Error | null; refetch: () => unknown; isFetching: boolean } }) {
  return (
    <>
      <PageHeader title="List" />
      {isDeleted(query.error) ? (
        <EmptyState
          icon={<SearchX />}
          title={errorText(query.error, 'List not found or access denied')}
          action={<ButtonLink to={paths.lists}>Back to lists</ButtonLink>}
        >
          It was deleted, belongs to another workspace, or the link has a typo.
        </EmptyState>
      ) : (
        <QueryError query={query}>Failed to fetch the list: {errorText(query.error)}</QueryError>
      )}
    </>
  )
}
