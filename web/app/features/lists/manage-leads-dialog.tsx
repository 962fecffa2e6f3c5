import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { IDS_MAX } from '@x-automated/contract/lead-limits'
import type { Lead, LeadFilter } from '@x-automated/contract/leads'
import type { List } from '@x-automated/contract/lists'
import { Search, Users } from 'lucide-react'
import { useState } from 'react'
import { api, client, errorCode, errorText } from '../../api'
import { paths } from '../../paths'
import { StatusBadge } from '../../ui/badge'
import { Button, ButtonLink } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { Checkbox } from '../../ui/choice'
import { useConfirm } from '../../ui/confirm'
import { Dialog } from '../../ui/dialog'
import { EmptyState } from '../../ui/empty-state'
import { Input } from '../../ui/input'
import { Select } from '../../ui/select'
import { toast } from '../../ui/toast'
import { useDebouncedValue } from '../../ui/use-debounced-value'
import { BulkRunList } from '../leads/bulk-progress'
import { runAndSum, useBulkRuns } from '../leads/bulk-runs'
import { parseKeyword } from '../leads/leads-url'
import { type LeadColumn, LeadsPanel, leadColumns } from './leads-panel'
import { changesOf, changesText, isTicked, noChanges, withTicks } from './membership'

const PAGE_SIZE = 20
/** Typing is searched for once it pauses this long. */
const SEARCH_AFTER_MS = 250

const columns: LeadColumn<Lead>[] = [
  ...leadColumns,
  { head: 'Status', cell: ({ dmStatus }) => <StatusBadge status={dmStatus} /> },
]
const count = (n: number) => n.toLocaleString('en-US')
const leadsText = (n: number) => `${count(n)} ${n === 1 ? 'lead' : 'leads'}`

function toastMoved(changed: number, way: 'add' | 'remove'): void {
  toast.success(
    way === 'add'
      ? `${count(changed)} leads added to the list successfully!`
      : `${leadsText(changed)} removed from the list.`,
  )
}

interface ManageLeadsDialogProps {
  list: List
  open: boolean
  onClose: () => void
}

/** Which leads of the workspace are in a list. Ticks are kept over pages and searches until they are saved. */
export function ManageLeadsDialog({ list, open, onClose }: ManageLeadsDialogProps) {
  const queries = useQueryClient()
  const confirm = useConfirm()
  const runs = useBulkRuns()
  const [typed, setTyped] = useState('')
  const [shown, setShown] = useState<'all' | 'members'>('all')
  const [page, setPage] = useState(1)
  const [wishes, setWishes] = useState(noChanges)
  const keyword = useDebouncedValue(parseKeyword(typed, 200), SEARCH_AFTER_MS)

  const filter: LeadFilter = { ...(keyword ? { keyword } : {}), ...(shown === 'members' ? { listId: list.id } : {}) }
  const leads = useQuery(
    api.leads.list.queryOptions({
      input: { ...filter, page, pageSize: PAGE_SIZE },
      placeholderData: keepPreviousData,
      staleTime: 0,
    }),
  )
  // Of those who are shown, who is in the list: however long it is, no more than a page of it is asked for.
  const shownIds = leads.data?.leads.map(({ id }) => id) ?? []
  const members = useQuery(
    api.lists.members.queryOptions({
      input: { id: list.id, leadIds: shownIds },
      enabled: shownIds.length > 0,
      staleTime: 0,
    }),
  )
  const memberIds: ReadonlySet<string> = new Set(members.data?.leadIds)

  const settled = () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: api.lists.key() }),
      queries.invalidateQueries({ queryKey: api.leads.key() }),
    ])
  const changes = changesOf(wishes)
  const save = useMutation({
    async mutationFn() {
      const done = { added: 0, removed: 0 }
      for (const leadIds of portions(changes.added))
        done.added += (
          await client.lists.addLeads({ id: list.id, leadIds }).catch(sayThat('Failed to add leads'))
        ).changed
      for (const leadIds of portions(changes.removed))
        done.removed += (
          await client.lists.removeLeads({ id: list.id, leadIds }).catch(sayThat('Failed to remove leads'))
        ).changed
      return done
    },
    onSuccess({ added, removed }) {
      onClose()
      toast.success(
        removed === 0
          ? `${count(added)} leads added to the list successfully!`
          : added === 0
            ? `${leadsText(removed)} removed from the list.`
            : `${leadsText(added)} added, ${leadsText(removed)} removed.`,
      )
    },
    onSettled: settled,
  })
  const moveAll = useMutation({
    mutationFn: (way: 'add' | 'remove') =>
      runAndSum(
        way === 'add' ? 'Adding to the list' : 'Removing from the list',
        { everyone: filter, count: total },
        (selection) =>
          way === 'add'
            ? client.lists.addLeads({ id: list.id, ...selection }).catch(sayThat('Failed to add leads'))
            : client.lists.removeLeads({ id: list.id, ...selection }).catch(sayThat('Failed to remove leads')),
        ({ changed }) => changed,
        (changed) => toastMoved(changed, way),
      ),
    onSuccess({ sum: changed, isStopped }, way) {
      setPage(1)
      if (changed > 0 || !isStopped) toastMoved(changed, way)
    },
    onSettled: settled,
  })
  const busy = save.isPending || moveAll.isPending
  const failed = save.error ?? moveAll.error

  const rows = leads.data?.leads ?? []
  const total = leads.data?.total ?? 0
  const ticked = rows.filter((lead) => isTicked(lead.id, memberIds, wishes)).length
  const tick = (ids: readonly string[], on: boolean) => setWishes((before) => withTicks(before, memberIds, ids, on))
  const words = changesText(changes)

  const close = async () => {
    if (busy) return
    const discard =
      words === '' ||
      (await confirm({ title: 'Discard changes?', body: `Not saved yet: ${words}.`, confirm: 'Discard changes' }))
    if (discard) onClose()
  }
  /** Everybody whom the search has found, over all pages, at once. */
  const askToMoveAll = async (way: 'add' | 'remove') => {
    const sure = await confirm(
      way === 'add'
        ? {
            title: `Add ${leadsText(total)} to this list?`,
            body: 'Those who are in it already stay once.',
            confirm: 'Add to list',
          }
        : {
            title: `Remove ${leadsText(total)} from this list?`,
            body: 'The leads stay in your workspace.',
            confirm: 'Remove from list',
          },
    )
    if (!sure) return
    save.reset()
    moveAll.mutate(way)
  }

  return (
    <Dialog
      open={open}
      onClose={close}
      size="wide"
      title={`Manage leads in ${list.name}`}
      description="Tick who belongs in the list, then save."
      footer={
        <>
          <p role="status" className="flex flex-1 items-center text-muted" data-numeric>
            {words}
          </p>
          <Button onClick={close}>Cancel</Button>
          <Button
            variant="primary"
            disabled={words === '' || moveAll.isPending}
            loading={save.isPending}
            onClick={() => {
              moveAll.reset()
              save.mutate()
            }}
          >
            Save Changes
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        <BulkRunList runs={runs} />
        {failed && (
          <Callout tone="bad" title="Failed to save changes.">
            {failed instanceof ChangeFailure ? failed.message : errorText(failed)}
          </Callout>
        )}
        {members.isError && (
          <Callout
            tone="bad"
            action={
              <Button size="sm" onClick={() => members.refetch()}>
                Try Again
              </Button>
            }
          >
            Failed to fetch leads for list: {errorText(members.error)}
          </Callout>
        )}
        <div className="flex flex-wrap gap-2">
          <div className="min-w-48 flex-1">
            <Input
              type="search"
              aria-label="Search leads"
              placeholder="Search by name, handle or bio"
              leading={<Search aria-hidden />}
              maxLength={200}
              value={typed}
              onChange={(event) => {
                setTyped(event.currentTarget.value)
                setPage(1)
              }}
            />
          </div>
          <Select
            aria-label="Show"
            className="w-40 max-sm:w-full"
            value={shown}
            onChange={(event) => {
              setShown(event.currentTarget.value as 'all' | 'members')
              setPage(1)
            }}
            options={[
              { value: 'all', label: 'All leads' },
              { value: 'members', label: 'In this list' },
            ]}
          />
        </div>
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
                {leads.data ? leadsText(total) : ' '}
              </p>
              {total > rows.length && (
                <Button
                  size="sm"
                  variant="ghost"
                  loading={moveAll.isPending}
                  disabled={busy || leads.isPlaceholderData}
                  onClick={() => askToMoveAll(shown === 'all' ? 'add' : 'remove')}
                >
                  {shown === 'all' ? `Add all ${leadsText(total)}` : `Remove all ${leadsText(total)}`}
                </Button>
              )}
            </div>
          }
          pick={{
            all: (
              <Checkbox
                aria-label="Select all on this page"
                disabled={!members.data || rows.length === 0 || busy}
                checked={rows.length > 0 && ticked === rows.length}
                indeterminate={ticked > 0 && ticked < rows.length}
                onChange={(event) => tick(shownIds, event.currentTarget.checked)}
              />
            ),
            isPicked: (lead) => isTicked(lead.id, memberIds, wishes),
            one: (lead) => (
              <Checkbox
                aria-label={`Select ${lead.name || lead.twitterHandle}`}
                disabled={!members.data || busy}
                checked={isTicked(lead.id, memberIds, wishes)}
                onChange={(event) => tick([lead.id], event.currentTarget.checked)}
              />
            ),
          }}
        />
      </div>
    </Dialog>
  )
}

function NoLeads({ filtered, membersOnly }: { filtered: boolean; membersOnly: boolean }) {
  if (filtered) return <EmptyState icon={<Search aria-hidden />} title="No leads match your search" />
  if (membersOnly)
    return (
      <EmptyState icon={<Users aria-hidden />} title="No leads in this list yet">
        Show all leads and tick those who belong in it.
      </EmptyState>
    )
  return (
    <EmptyState
      icon={<Users aria-hidden />}
      title="No leads in your workspace yet"
      action={<ButtonLink to={paths.xAutomation}>Find leads</ButtonLink>}
    >
      Scrape the followers of a handle, or import a CSV file, then come back.
    </EmptyState>
  )
}

/** A part of saving that failed, in the specification's words. */
class ChangeFailure extends Error {}

function sayThat(what: string) {
  return (error: unknown): never => {
    // Where nobody answered, the heading says enough.
    throw errorCode(error) ? new ChangeFailure(`${what}: ${errorText(error)}`) : error
  }
}

function portions(ids: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(ids.length / IDS_MAX) }, (_, index) =>
    ids.slice(index * IDS_MAX, (index + 1) * IDS_MAX),
  )
}
