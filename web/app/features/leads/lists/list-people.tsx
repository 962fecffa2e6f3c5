import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { formatCount } from '@x-automated/contract/format'
import type { LeadFilter, ListedLead } from '@x-automated/contract/leads/leads'
import type { List } from '@x-automated/contract/leads/lists'
import { Search, UserMinus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useNavigate } from 'react-router'
import { api, client, errorText } from '../../../api'
import { usePageCursors } from '../../../page-cursors'
import { type Column, PagedTable } from '../../../paged-table'
import { paths } from '../../../paths'
import { Button, IconButton } from '../../../ui/button'
import { Checkbox } from '../../../ui/choice'
import { EmptyState } from '../../../ui/empty-state'
import { toast } from '../../../ui/toast'
import { Tooltip } from '../../../ui/tooltip'
import { useFocusFallback } from '../../../ui/use-focus-fallback'
import { useAction } from '../../../use-action'
import { useIsOffered } from '../../identity/people/use-role'
import { useStartJob } from '../../platform/jobs/use-start-job'
import { LeadFilters } from '../leads/lead-filters'
import { LeadBio, LeadFollowers, LeadIdentity } from '../leads/lead-parts'
import { isFiltered, toLeadsParams } from '../leads/leads-url'
import { TagBadges } from '../leads/tag-badge'
import { useLeadsView } from '../leads/use-leads-view'
import { displayStatus, NobodyYet } from './list-leads-dialog'

const PAGE_SIZE = 25
const NOBODY: ReadonlySet<string> = new Set()

/** A list's people, with the filters of the Leads page. They can be removed from a manual list. */
export function ListPeople({ list, manage }: { list: List; manage: ReactNode }) {
  const navigate = useNavigate()
  const view = useLeadsView()
  const { filter, sort, page } = { ...view, filter: { ...view.filter, listId: undefined } }
  const [selected, setSelected] = useState(NOBODY)
  const focusFallback = useFocusFallback<HTMLElement>()
  const canRemove = useIsOffered('member') && !list.filter
  const cursors = usePageCursors(JSON.stringify([list.id, filter, sort]))
  const leads = useQuery(
    api.leads.list.queryOptions({
      input: { ...filter, listId: list.id, sort, page, pageSize: PAGE_SIZE, cursor: cursors.cursorOf(page) },
      placeholderData: keepPreviousData,
    }),
  )
  const rows = leads.data?.leads
  const remove = useRemovePeople(list, () => setSelected(NOBODY))
  const goTo = (next: LeadFilter, nextPage = 1, nextSort = sort) => {
    view.goTo(next, nextPage, { sort: nextSort, replace: true })
    setSelected(NOBODY)
  }
  const open = ({ id }: ListedLead) => {
    const search = toLeadsParams({ ...filter, listId: list.id }, 1, sort)
    search.set('lead', id)
    return navigate(`${paths.leads}?${search}`)
  }
  const columns: (Column<ListedLead> | false)[] = [
    canRemove && selectColumn(rows ?? [], selected, setSelected),
    {
      name: 'Lead',
      bare: true,
      className: 'max-md:w-full max-md:max-w-0 max-md:px-3 max-md:py-2 md:max-w-80 md:min-w-52',
      cell: (lead) => (
        <LeadIdentity lead={lead} onOpen={() => open(lead)}>
          <TagBadges ids={lead.tagIds} max={2} />
        </LeadIdentity>
      ),
    },
    {
      name: 'Bio',
      bare: true,
      // Takes the width that the other columns leave.
      className: 'text-muted max-md:hidden md:w-full md:max-w-0 md:truncate',
      cell: ({ bio }) => <LeadBio bio={bio} />,
    },
    {
      name: 'Followers',
      end: true,
      className: 'max-md:hidden',
      cell: ({ followerCount }) => <LeadFollowers followerCount={followerCount} />,
    },
    { ...displayStatus, className: 'max-md:ps-0 max-md:whitespace-nowrap' },
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
    <section {...focusFallback} aria-label="People" className="grid gap-3 outline-none">
      <LeadFilters view={{ filter, sort, page }} onChange={goTo} onSort={(next) => goTo(filter, 1, next)} />
      {selected.size > 0 && (
        <div className="flex items-center justify-end gap-2">
          <p role="status" className="text-muted" data-numeric>
            {formatCount(selected.size, 'person', 'people')} selected
          </p>
          <Button icon={<UserMinus />} loading={remove.isPending} onClick={() => remove.run([...selected])}>
            Remove from list
          </Button>
        </div>
      )}
      <PagedTable<ListedLead>
        label={`People in ${list.name}`}
        dense
        narrow="rows"
        query={leads}
        rows={rows}
        columns={columns}
        isSelected={({ id }) => selected.has(id)}
        loading="Loading people…"
        failure={(error) => `Failed to fetch leads for list: ${errorText(error)}`}
        page={page}
        pageSize={PAGE_SIZE}
        onChange={(next) => {
          if (!leads.isPlaceholderData) cursors.keep(page + 1, leads.data?.cursor)
          goTo(filter, next)
        }}
        noun="people"
        skeletonRows={Math.max(1, Math.min(list.leadCount, 10))}
        empty={
          isFiltered(filter) ? (
            <EmptyState
              icon={<Search />}
              title="Nobody on this list matches"
              action={<Button onClick={() => goTo({})}>Clear filters</Button>}
            />
          ) : (
            <NobodyYet isSmart={list.filter !== null} action={manage} />
          )
        }
      />
    </section>
  )
}

/** Removes people from a list, with Undo. */
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
      onSuccess(result, leadIds) {
        onRemoved()
        // A job reports its result itself.
        if (result)
          toast.success(`${formatCount(result.changed, 'lead')} removed from the list.`, {
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
  rows: readonly ListedLead[],
  selected: ReadonlySet<string>,
  onChange: (selected: ReadonlySet<string>) => void,
): Column<ListedLead> {
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
    className: 'w-px pe-0',
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
