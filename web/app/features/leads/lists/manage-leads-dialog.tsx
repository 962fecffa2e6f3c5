import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { functionalUpdate } from '@tanstack/react-table'
import { formatCount, formatNumber } from '@x-automated/contract/format'
import { IDS_MAX } from '@x-automated/contract/leads/lead-limits'
import type { Lead, LeadFilter } from '@x-automated/contract/leads/leads'
import type { List } from '@x-automated/contract/leads/lists'
import { Search, Users } from 'lucide-react'
import { useState } from 'react'
import { api, client, errorCode, errorText } from '../../../api'
import { paths } from '../../../paths'
import { QueryError } from '../../../query-error'
import { StatusBadge } from '../../../ui/badge'
import { Button, ButtonLink } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { useConfirm } from '../../../ui/confirm'
import { Dialog } from '../../../ui/dialog'
import { EmptyState } from '../../../ui/empty-state'
import { Input } from '../../../ui/input'
import { Select } from '../../../ui/select'
import { toast } from '../../../ui/toast'
import { useDebouncedValue } from '../../../ui/use-debounced-value'
import { BulkRunList } from '../leads/bulk-progress'
import { runAndSum, useBulkRuns } from '../leads/bulk-runs'
import { parseKeyword } from '../leads/leads-url'
import { type LeadColumn, LeadsPanel, leadColumns } from './leads-panel'
import { changesOf, changesText, noChanges, selectionOf, withSelection } from './membership'

const PAGE_SIZE = 20
const SEARCH_DEBOUNCE_MS = 250

const columns: LeadColumn<Lead>[] = [
  ...leadColumns,
  { head: 'Status', cell: ({ dmStatus }) => <StatusBadge status={dmStatus} /> },
]

function toastMoved(changed: number, action: 'add' | 'remove'): void {
  toast.success(
    action === 'add'
      ? `${formatNumber(changed)} leads added to the list successfully!`
      : `${formatCount(changed, 'lead')} removed from the list.`,
  )
}

type Shown = 'all' | 'members'

interface ManageLeadsDialogProps {
  list: List
  open: boolean
  onClose: () => void
}

/** Selects the leads of a list. Changes are kept across pages and searches until they are saved. */
export function ManageLeadsDialog({ list, open, onClose }: ManageLeadsDialogProps) {
  const confirm = useConfirm()
  const runs = useBulkRuns()
  const [typed, setTyped] = useState('')
  const [shown, setShown] = useState<Shown>('all')
  const [page, setPage] = useState(1)
  const [pending, setPending] = useState(noChanges)
  const keyword = useDebouncedValue(parseKeyword(typed, 200), SEARCH_DEBOUNCE_MS)

  const filter: LeadFilter = { ...(keyword ? { keyword } : {}), ...(shown === 'members' ? { listId: list.id } : {}) }
  const leads = useQuery(
    api.leads.list.queryOptions({
      input: { ...filter, page, pageSize: PAGE_SIZE },
      placeholderData: keepPreviousData,
      staleTime: 0,
    }),
  )
  // Membership of the shown page only, so that long lists cost no more than short ones.
  const shownIds = leads.data?.leads.map(({ id }) => id) ?? []
  const members = useQuery(
    api.lists.members.queryOptions({
      input: { id: list.id, leadIds: shownIds },
      enabled: shownIds.length > 0,
      staleTime: 0,
    }),
  )
  const memberIds: ReadonlySet<string> = new Set(members.data?.leadIds)

  const { save, moveAll } = useChanges(list, filter, leads.data?.total ?? 0, {
    onSaved: onClose,
    onMoved: () => setPage(1),
  })
  const changes = changesOf(pending)
  const busy = save.isPending || moveAll.isPending
  const failed = save.error ?? moveAll.error

  const rows = leads.data?.leads ?? []
  const total = leads.data?.total ?? 0
  const summary = changesText(changes)

  const close = async () => {
    if (busy) return
    const discard =
      summary === '' ||
      (await confirm({ title: 'Discard changes?', body: `Unsaved changes: ${summary}.`, confirm: 'Discard changes' }))
    if (discard) onClose()
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
        <BulkRunList runs={runs} />
        {failed && (
          <Callout tone="bad" title="Failed to save changes.">
            {failed instanceof SaveError ? failed.message : errorText(failed)}
          </Callout>
        )}
        {members.isError && (
          <QueryError query={members}>Failed to fetch leads for list: {errorText(members.error)}</QueryError>
        )}
        <SearchFields
          typed={typed}
          shown={shown}
          onType={(next) => {
            setTyped(next)
            setPage(1)
          }}
          onShow={(next) => {
            setShown(next)
            setPage(1)
          }}
        />
        <LeadsPanel
          label="Leads of the workspace"
          query={leads}
          failure={(error) => `Failed to fetch all user leads: ${errorText(error)}`}
          columns={columns}
          page={page}
          pageSize={PAGE_SIZE}
          onPage={setPage}
          empty={<NoLeads filtered={keyword !== undefined} membersOnly={shown === 'members'} />}
          above={
            <div className="flex min-h-8 flex-wrap items-center justify-between gap-2 pb-2">
              <p className="text-muted" data-numeric>
                {leads.data ? formatCount(total, 'lead') : ' '}
              </p>
              {total > rows.length && (
                <MoveAllButton
                  action={shown === 'all' ? 'add' : 'remove'}
                  total={total}
                  loading={moveAll.isPending}
                  disabled={busy || leads.isPlaceholderData}
                  onMove={(action) => {
                    save.reset()
                    moveAll.mutate(action)
                  }}
                />
              )}
            </div>
          }
          selection={{
            rows: selectionOf(shownIds, memberIds, pending),
            onChange: (change) =>
              setPending((before) =>
                withSelection(
                  before,
                  shownIds,
                  memberIds,
                  functionalUpdate(change, selectionOf(shownIds, memberIds, before)),
                ),
              ),
            disabled: !members.data || busy,
          }}
        />
      </div>
    </Dialog>
  )
}

interface SearchFieldsProps {
  typed: string
  shown: Shown
  onType: (typed: string) => void
  onShow: (shown: Shown) => void
}

function SearchFields({ typed, shown, onType, onShow }: SearchFieldsProps) {
  return (
    <div className="flex flex-wrap gap-2">
      <div className="min-w-48 flex-1">
        <Input
          type="search"
          aria-label="Search leads"
          placeholder="Search by name, handle or bio"
          leading={<Search aria-hidden />}
          maxLength={200}
          value={typed}
          onChange={(event) => onType(event.currentTarget.value)}
        />
      </div>
      <Select
        aria-label="Show"
        className="w-40 max-sm:w-full"
        value={shown}
        onChange={(event) => onShow(event.currentTarget.value as Shown)}
        options={[
          { value: 'all', label: 'All leads' },
          { value: 'members', label: 'In this list' },
        ]}
      />
    </div>
  )
}

interface MoveAllButtonProps {
  action: 'add' | 'remove'
  total: number
  loading: boolean
  disabled: boolean
  onMove: (action: 'add' | 'remove') => void
}

/** Adds or removes everyone that the search has found, on all pages. */
function MoveAllButton({ action, total, loading, disabled, onMove }: MoveAllButtonProps) {
  const confirm = useConfirm()
  const ask = async () => {
    const sure = await confirm(
      action === 'add'
        ? {
            title: `Add ${formatCount(total, 'lead')} to this list?`,
            body: "Leads already on the list won't be added twice.",
            confirm: 'Add to list',
          }
        : {
            title: `Remove ${formatCount(total, 'lead')} from this list?`,
            body: 'The leads stay in your workspace.',
            confirm: 'Remove from list',
          },
    )
    if (sure) onMove(action)
  }
  return (
    <Button size="sm" variant="ghost" loading={loading} disabled={disabled} onClick={ask}>
      {action === 'add' ? 'Add' : 'Remove'} all {formatCount(total, 'lead')}
    </Button>
  )
}

/** Saves the selected changes, or adds or removes everyone that the search has found. */
function useChanges(
  list: List,
  filter: LeadFilter,
  total: number,
  { onSaved, onMoved }: { onSaved: () => void; onMoved: () => void },
) {
  const queries = useQueryClient()
  const onSettled = () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: api.lists.key() }),
      queries.invalidateQueries({ queryKey: api.leads.key() }),
    ])
  const save = useMutation({
    async mutationFn(changes: ReturnType<typeof changesOf>) {
      const done = { added: 0, removed: 0 }
      for (const leadIds of batches(changes.added))
        done.added += (
          await client.lists.addLeads({ id: list.id, leadIds }).catch(rethrowAs('Failed to add leads'))
        ).changed
      for (const leadIds of batches(changes.removed))
        done.removed += (
          await client.lists.removeLeads({ id: list.id, leadIds }).catch(rethrowAs('Failed to remove leads'))
        ).changed
      return done
    },
    onSuccess({ added, removed }) {
      onSaved()
      toast.success(
        removed === 0
          ? `${formatNumber(added)} leads added to the list successfully!`
          : added === 0
            ? `${formatCount(removed, 'lead')} removed from the list.`
            : `${formatCount(added, 'lead')} added, ${formatCount(removed, 'lead')} removed.`,
      )
    },
    onSettled,
  })
  const moveAll = useMutation({
    mutationFn: (action: 'add' | 'remove') =>
      runAndSum(
        action === 'add' ? 'Adding to the list' : 'Removing from the list',
        { everyone: filter, count: total },
        (selection) =>
          action === 'add'
            ? client.lists.addLeads({ id: list.id, ...selection }).catch(rethrowAs('Failed to add leads'))
            : client.lists.removeLeads({ id: list.id, ...selection }).catch(rethrowAs('Failed to remove leads')),
        ({ changed }) => changed,
        (changed) => toastMoved(changed, action),
      ),
    onSuccess({ sum: changed, isStopped }, action) {
      onMoved()
      if (changed > 0 || !isStopped) toastMoved(changed, action)
    },
    onSettled,
  })
  return { save, moveAll }
}

function NoLeads({ filtered, membersOnly }: { filtered: boolean; membersOnly: boolean }) {
  if (filtered) return <EmptyState icon={<Search aria-hidden />} title="No leads match your search" />
  if (membersOnly)
    return (
      <EmptyState icon={<Users aria-hidden />} title="No leads in this list yet">
        Show all leads and select those you want.
      </EmptyState>
    )
  return (
    <EmptyState
      icon={<Users aria-hidden />}
      title="No leads in your workspace yet"
      action={<ButtonLink to={paths.xAutomation}>Find leads</ButtonLink>}
    >
      Scrape the followers of an account or import a CSV file first.
    </EmptyState>
  )
}

/** A failed call of saving, with a text to show. */
class SaveError extends Error {}

function rethrowAs(title: string) {
  return (error: unknown): never => {
    // Without a response there is no message to add to the callout's title.
    throw errorCode(error) ? new SaveError(`${title}: ${errorText(error)}`) : error
  }
}

function batches(ids: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(ids.length / IDS_MAX) }, (_, index) =>
    ids.slice(index * IDS_MAX, (index + 1) * IDS_MAX),
  )
}
