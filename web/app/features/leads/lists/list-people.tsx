import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { formatCount } from '@x-automated/contract/format'
import type { List, ListLead } from '@x-automated/contract/leads/lists'
import { Search, UserMinus, Users } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useNavigate } from 'react-router'
import { api, client, errorText } from '../../../api'
import { usePageCursors } from '../../../page-cursors'
import { type Column, PagedTable } from '../../../paged-table'
import { paths } from '../../../paths'
import { StatusBadge } from '../../../ui/badge'
import { Button, IconButton } from '../../../ui/button'
import { Checkbox } from '../../../ui/choice'
import { EmptyState } from '../../../ui/empty-state'
import { Input } from '../../../ui/input'
import { Select } from '../../../ui/select'
import { toast } from '../../../ui/toast'
import { Tooltip } from '../../../ui/tooltip'
import { useDebouncedValue } from '../../../ui/use-debounced-value'
import { useAction } from '../../../use-action'
import { useIsOffered } from '../../identity/people/use-role'
import { useStartJob } from '../../platform/jobs/use-start-job'
import { LeadBio, LeadFollowers, LeadIdentity } from '../leads/lead-parts'
import type { LeadFilterStatus } from '../leads/lead-status'
import { parseKeyword } from '../leads/leads-url'
import { STATUS_OPTIONS } from './list-leads-dialog'

const PAGE_SIZE = 25
const SEARCH_DEBOUNCE_MS = 250
const NOBODY: ReadonlySet<string> = new Set()

/** The people of a list: searched, filtered by status, and removed if it is filled by hand. */
export function ListPeople({ list, manage }: { list: List; manage: ReactNode }) {
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  const [status, setStatus] = useState('')
  const [page, setPage] = useState(1)
  const [selected, setSelected] = useState(NOBODY)
  const canRemove = useIsOffered('member') && !list.filter
  const keyword = useDebouncedValue(parseKeyword(typed, 200), SEARCH_DEBOUNCE_MS)
  const cursors = usePageCursors(JSON.stringify([list.id, keyword, status]))
  const leads = useQuery(
    api.lists.leads.queryOptions({
      input: {
        id: list.id,
        keyword,
        status: (status || undefined) as LeadFilterStatus | undefined,
        page,
        pageSize: PAGE_SIZE,
        cursor: cursors.cursorOf(page),
      },
      placeholderData: keepPreviousData,
    }),
  )
  const rows = leads.data?.leads
  const remove = useRemovePeople(list, () => setSelected(NOBODY))
  const goTo = (next: number) => {
    if (!leads.isPlaceholderData) cursors.keep(page + 1, leads.data?.cursor)
    setPage(next)
    setSelected(NOBODY)
  }
  const open = ({ id }: ListLead) => navigate(`${paths.leads}?${new URLSearchParams({ list: list.id, lead: id })}`)
  const columns: (Column<ListLead> | false)[] = [
    canRemove && selectColumn(rows ?? [], selected, setSelected),
    {
      name: 'Lead',
      bare: true,
      className: 'md:min-w-52',
      cell: (lead) => <LeadIdentity lead={lead} onOpen={() => open(lead)} />,
    },
    { name: 'Bio', bare: true, className: 'text-muted md:min-w-56', cell: ({ bio }) => <LeadBio bio={bio} /> },
    {
      name: 'Followers',
      end: true,
      cell: ({ followerCount }) => <LeadFollowers followerCount={followerCount} />,
    },
    // The status that the filter means: of every list's campaigns.
    { name: 'Status', cell: ({ replied, dmStatus }) => <StatusBadge status={replied ? 'replied' : dmStatus} /> },
    canRemove && {
      name: 'Actions',
      hidden: true,
      className: 'max-md:hidden! md:w-px',
      cell: (lead) => (
        <Tooltip text="Remove from list">
          <IconButton
            size="sm"
            icon={<UserMinus />}
            label={`Remove @${lead.twitterHandle} from list`}
            onClick={() => remove.run([lead.id])}
          />
        </Tooltip>
      ),
    },
  ]
  return (
    <section aria-label="People" className="grid gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <div className="min-w-48 flex-1 sm:max-w-sm">
          <Input
            type="search"
            aria-label="Search people"
            placeholder="Search by name, handle or bio"
            leading={<Search />}
            maxLength={200}
            value={typed}
            onChange={(event) => {
              setTyped(event.currentTarget.value)
              setPage(1)
              setSelected(NOBODY)
            }}
          />
        </div>
        <Select
          aria-label="Status"
          className="w-40 max-sm:w-full"
          value={status}
          options={STATUS_OPTIONS}
          onChange={(event) => {
            setStatus(event.currentTarget.value)
            setPage(1)
            setSelected(NOBODY)
          }}
        />
        {selected.size > 0 && (
          <div className="ms-auto flex items-center gap-2 max-sm:w-full">
            <p role="status" className="text-muted" data-numeric>
              {formatCount(selected.size, 'person', 'people')} selected
            </p>
            <Button icon={<UserMinus />} loading={remove.isPending} onClick={() => remove.run([...selected])}>
              Remove from list
            </Button>
          </div>
        )}
      </div>
      <PagedTable<ListLead>
        label={`People in ${list.name}`}
        query={leads}
        rows={rows}
        columns={columns}
        isSelected={({ id }) => selected.has(id)}
        loading="Loading people…"
        failure={(error) => `Failed to fetch leads for list: ${errorText(error)}`}
        page={page}
        pageSize={PAGE_SIZE}
        onChange={goTo}
        noun="people"
        skeletonRows={Math.max(1, Math.min(list.leadCount, 10))}
        empty={
          <Nobody isFiltered={keyword !== undefined || status !== ''} isSmart={list.filter !== null} action={manage} />
        }
      />
    </section>
  )
}

/** Removes people from a list, with an Undo. */
function useRemovePeople({ id }: List, onRemoved: () => void) {
  const startJobs = useStartJob()
  const add = useAction((leadIds: string[]) => client.lists.addLeads({ id, leadIds }), {
    failed: 'Failed to add leads. Try again.',
    refetches: [api.lists, api.leads],
  })
  return useAction(
    async (leadIds: string[]) => {
      if (leadIds.length === 1) return client.lists.removeLeads({ id, leadIds })
      await startJobs([{ kind: 'remove_from_list', listId: id, leadIds }])
      return null
    },
    {
      onSuccess(answer, leadIds) {
        onRemoved()
        // A job says itself what it has done.
        if (answer)
          toast.success(`${formatCount(answer.changed, 'lead')} removed from the list.`, {
            action: { label: 'Undo', onClick: () => void add.run(leadIds) },
          })
      },
      failed: 'Failed to remove leads. Try again.',
      refetches: [api.lists, api.leads],
    },
  )
}

/** Checkboxes for the people of the page. */
function selectColumn(
  rows: readonly ListLead[],
  selected: ReadonlySet<string>,
  onChange: (selected: ReadonlySet<string>) => void,
): Column<ListLead> {
  const isEveryone = rows.length > 0 && rows.every(({ id }) => selected.has(id))
  return {
    name: (
      <Checkbox
        aria-label="Select everyone on this page"
        disabled={rows.length === 0}
        checked={isEveryone}
        indeterminate={selected.size > 0 && !isEveryone}
        onChange={() => onChange(isEveryone ? NOBODY : new Set(rows.map(({ id }) => id)))}
      />
    ),
    corner: true,
    className: 'md:w-px md:pe-0',
    cell: ({ id, twitterHandle }) => (
      <Checkbox
        aria-label={`Select @${twitterHandle}`}
        checked={selected.has(id)}
        onChange={() => {
          const next = new Set(selected)
          if (!next.delete(id)) next.add(id)
          onChange(next)
        }}
      />
    ),
  }
}

function Nobody({ isFiltered, isSmart, action }: { isFiltered: boolean; isSmart: boolean; action: ReactNode }) {
  if (isFiltered) return <EmptyState icon={<Search />} title="Nobody on this list matches" />
  if (isSmart)
    return (
      <EmptyState icon={<Users />} title="No matches yet" action={action}>
        New matches are added automatically.
      </EmptyState>
    )
  return (
    <EmptyState icon={<Users />} title="No leads in this list yet" action={action}>
      Add leads that you've scraped or imported.
    </EmptyState>
  )
}
