import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { functionalUpdate, rowSelectionFeature, tableFeatures, useTable } from '@tanstack/react-table'
import { formatCount, formatNumber } from '@x-automated/contract/format'
import { IDS_MAX } from '@x-automated/contract/leads/lead-limits'
import type { LeadFilter, ListedLead } from '@x-automated/contract/leads/leads'
import type { List } from '@x-automated/contract/leads/lists'
import { Search, Users } from 'lucide-react'
import { useState } from 'react'
import { api, client, errorCode, errorText } from '../../../api'
import { type Column, PagedTable } from '../../../paged-table'
import { paths } from '../../../paths'
import { QueryError } from '../../../query-error'
import { Button, ButtonLink } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Checkbox } from '../../../ui/choice'
import { useConfirm } from '../../../ui/confirm'
import { Dialog } from '../../../ui/dialog'
import { EmptyState } from '../../../ui/empty-state'
import { Input } from '../../../ui/input'
import { Select } from '../../../ui/select'
import { toast } from '../../../ui/toast'
import { useDebouncedValue } from '../../../ui/use-debounced-value'
import type { ControlledDialogProps } from '../../../ui/use-dialogs'
import { useRefresh } from '../../../use-refresh'
import { useStartJob } from '../../platform/jobs/use-start-job'
import type { Selection } from '../leads/lead-selection'
import { parseKeyword } from '../leads/leads-url'
import { DIALOG_TABLE_HEIGHT, displayStatus, leadColumns } from './list-leads-dialog'
import { type Changes, changesOf, changesText, noChanges, selectionOf, withSelection } from './membership'

const PAGE_SIZE = 20
const SEARCH_DEBOUNCE_MS = 250
const features = tableFeatures({ rowSelectionFeature })
const NONE: readonly ListedLead[] = []

type Action = keyof Changes

/** Selects the leads of a list. Changes survive paging and searching until they are saved. */
export function ManageLeadsDialog({ list, open, onClose }: ControlledDialogProps & { list: List }) {
  const confirm = useConfirm()
  const [typed, setTyped] = useState('')
  const [membersOnly, setMembersOnly] = useState(false)
  const [page, setPage] = useState(1)
  const [pending, setPending] = useState(noChanges)
  const keyword = useDebouncedValue(parseKeyword(typed, 200), SEARCH_DEBOUNCE_MS)

  const filter: LeadFilter = { keyword, listId: membersOnly ? list.id : undefined }
  const leads = useQuery(
    api.leads.list.queryOptions({
      input: { ...filter, page, pageSize: PAGE_SIZE },
      placeholderData: keepPreviousData,
      staleTime: 0,
    }),
  )
  const rows = leads.data?.leads ?? NONE
  const total = leads.data?.total ?? 0
  // Loads memberships only for the visible page, so that long lists cost no more than short ones.
  const shownIds = rows.map(({ id }) => id)
  const members = useQuery(
    api.lists.members.queryOptions({
      input: { id: list.id, leadIds: shownIds },
      enabled: shownIds.length > 0,
      staleTime: 0,
    }),
  )

  const { save, moveAll } = useChanges(list, filter, { onSaved: onClose, onMoved: () => setPage(1) })
  const busy = save.isPending || moveAll.isPending
  const failed = save.error ?? moveAll.error
  const changes = changesOf(pending)
  const summary = changesText(changes)
  const selectColumn = useSelectColumn(rows, new Set(members.data?.leadIds), !members.data || busy, [
    pending,
    setPending,
  ])

  const close = async () => {
    if (busy) return
    const discard =
      summary === '' ||
      (await confirm({ title: 'Discard changes?', body: `Unsaved changes: ${summary}.`, confirm: 'Discard changes' }))
    if (discard) onClose()
  }
  const action: Action = membersOnly ? 'remove' : 'add'
  const verb = membersOnly ? 'Remove' : 'Add'
  const askToMoveAll = async () => {
    const sure = await confirm({
      title: `${verb} ${formatCount(total, 'lead')} ${membersOnly ? 'from' : 'to'} this list?`,
      body: membersOnly ? 'The leads stay in your workspace.' : "Leads already on the list won't be added twice.",
      confirm: membersOnly ? 'Remove from list' : 'Add to list',
    })
    if (!sure) return
    save.reset()
    moveAll.mutate(action)
  }
  return (
    <Dialog
      open={open}
      onClose={close}
      size="wide"
      title={`Manage leads in ${list.name}`}
      description="Select the leads for this list, then save."
      footer={
        <>
          <p role="status" className="flex flex-1 items-center text-muted" data-numeric>
            {summary}
          </p>
          <Button onClick={close}>Cancel</Button>
          <Button
            variant="primary"
            disabled={summary === '' || moveAll.isPending}
            loading={save.isPending}
            onClick={() => {
              moveAll.reset()
              save.mutate(changes)
            }}
          >
            Save changes
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        {failed && (
          <Callout tone="bad" title="Failed to save changes.">
            {failed instanceof SaveError ? failed.message : errorText(failed)}
          </Callout>
        )}
        {members.isError && (
          <QueryError query={members}>Failed to fetch leads for list: {errorText(members.error)}</QueryError>
        )}
        <LeadSearch
          typed={typed}
          membersOnly={membersOnly}
          onType={(next) => {
            setTyped(next)
            setPage(1)
          }}
          onMembersOnly={(next) => {
            setMembersOnly(next)
            setPage(1)
          }}
        />
        <PagedTable<ListedLead>
          label="Leads of the workspace"
          dense
          query={leads}
          rows={leads.data?.leads}
          columns={[selectColumn, ...leadColumns, displayStatus]}
          isSelected={({ id }) => selectColumn.isSelected(id)}
          loading="Loading leads…"
          failure={(error) => `Failed to fetch all user leads: ${errorText(error)}`}
          page={page}
          pageSize={PAGE_SIZE}
          onChange={setPage}
          noun="leads"
          maxHeight={DIALOG_TABLE_HEIGHT}
          empty={<NoLeads filtered={keyword !== undefined} membersOnly={membersOnly} />}
          above={
            <div className="flex min-h-8 flex-wrap items-center justify-between gap-2 pb-2">
              <p className="text-muted" data-numeric>
                {leads.data ? formatCount(total, 'lead') : ' '}
              </p>
              {total > rows.length && (
                <Button
                  size="sm"
                  variant="ghost"
                  loading={moveAll.isPending}
                  disabled={busy || leads.isPlaceholderData}
                  onClick={askToMoveAll}
                >
                  {verb} all {formatCount(total, 'lead')}
                </Button>
              )}
            </div>
          }
        />
      </div>
    </Dialog>
  )
}

interface LeadSearchProps {
  typed: string
  membersOnly: boolean
  onType: (typed: string) => void
  onMembersOnly: (membersOnly: boolean) => void
}

function LeadSearch({ typed, membersOnly, onType, onMembersOnly }: LeadSearchProps) {
  return (
    <div className="flex flex-wrap gap-2">
      <div className="min-w-48 flex-1">
        <Input
          type="search"
          aria-label="Search leads"
          placeholder="Search by name, handle or bio"
          leading={<Search />}
          maxLength={200}
          value={typed}
          onChange={(event) => onType(event.currentTarget.value)}
        />
      </div>
      <Select
        aria-label="Show"
        className="w-40 max-sm:w-full"
        value={membersOnly ? 'members' : 'all'}
        onChange={(event) => onMembersOnly(event.currentTarget.value === 'members')}
        options={[
          { value: 'all', label: 'All leads' },
          { value: 'members', label: 'In this list' },
        ]}
      />
    </div>
  )
}

/** The checkbox column. Members and unsaved additions are checked. */
function useSelectColumn(
  leads: readonly ListedLead[],
  members: ReadonlySet<string>,
  disabled: boolean,
  [pending, setPending]: [typeof noChanges, (change: (before: typeof noChanges) => typeof noChanges) => void],
): Column<ListedLead> & { isSelected: (id: string) => boolean } {
  const ids = leads.map(({ id }) => id)
  const rowSelection = selectionOf(ids, members, pending)
  const table = useTable({
    features,
    columns: [],
    data: leads,
    getRowId: ({ id }) => id,
    state: { rowSelection },
    onRowSelectionChange: (change) =>
      setPending((before) =>
        withSelection(before, ids, members, functionalUpdate(change, selectionOf(ids, members, before))),
      ),
  })
  return {
    name: (
      <Checkbox
        aria-label="Select all on this page"
        disabled={disabled || leads.length === 0}
        checked={table.getIsAllPageRowsSelected()}
        indeterminate={table.getIsSomePageRowsSelected() && !table.getIsAllPageRowsSelected()}
        onChange={table.getToggleAllPageRowsSelectedHandler()}
      />
    ),
    corner: true,
    className: 'md:w-px md:pe-0',
    cell: ({ id, name, twitterHandle }) => (
      <Checkbox
        aria-label={`Select ${name || twitterHandle}`}
        disabled={disabled}
        checked={rowSelection[id] === true}
        onChange={table.getRow(id).getToggleSelectedHandler()}
      />
    ),
    isSelected: (id) => rowSelection[id] === true,
  }
}

/** Saves the selected changes, or adds or removes everyone who matches the search. */
function useChanges(
  { id }: List,
  filter: LeadFilter,
  { onSaved, onMoved }: { onSaved: () => void; onMoved: () => void },
) {
  const refresh = useRefresh()
  const startJobs = useStartJob()
  const onSettled = () => refresh(api.lists, api.leads)
  const change = (action: Action, selection: Selection) =>
    client.lists[action === 'add' ? 'addLeads' : 'removeLeads']({ id, ...selection }).catch((error) => {
      // Without a response, there is no message to append to the callout's title.
      throw errorCode(error) ? new SaveError(`${failures[action]}: ${errorText(error)}`) : error
    })
  const save = useMutation({
    async mutationFn(changes: Changes) {
      const done = { add: 0, remove: 0 }
      for (const action of ['add', 'remove'] as const)
        for (let start = 0; start < changes[action].length; start += IDS_MAX)
          done[action] += (await change(action, { leadIds: changes[action].slice(start, start + IDS_MAX) })).changed
      return done
    },
    onSuccess(done) {
      onSaved()
      toast.success(savedText(done))
    },
    onSettled,
  })
  const moveAll = useMutation({
    mutationFn: (action: Action) =>
      startJobs([{ kind: action === 'add' ? 'add_to_list' : 'remove_from_list', listId: id, filter }]),
    onSuccess: onMoved,
    onSettled,
  })
  return { save, moveAll }
}

const failures = { add: 'Failed to add leads', remove: 'Failed to remove leads' }

/** An error while saving. Its message can be shown to the user. */
class SaveError extends Error {}

const doneTexts = {
  add: (count: number) => `${formatNumber(count)} leads added to the list successfully!`,
  remove: (count: number) => `${formatCount(count, 'lead')} removed from the list.`,
}

function savedText({ add, remove }: Record<Action, number>): string {
  if (remove === 0) return doneTexts.add(add)
  if (add === 0) return doneTexts.remove(remove)
  return `${formatCount(add, 'lead')} added, ${formatCount(remove, 'lead')} removed.`
}

function NoLeads({ filtered, membersOnly }: { filtered: boolean; membersOnly: boolean }) {
  if (filtered) return <EmptyState icon={<Search />} title="No leads match your search" />
  if (membersOnly)
    return (
      <EmptyState icon={<Users />} title="No leads in this list yet">
        Show all leads and select those you want.
      </EmptyState>
    )
  return (
    <EmptyState
      icon={<Users />}
      title="No leads in your workspace yet"
      action={<ButtonLink to={paths.xAutomation}>Find leads</ButtonLink>}
    >
      Scrape the followers of an account or import a CSV file first.
    </EmptyState>
  )
}
