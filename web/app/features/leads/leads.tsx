import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { LeadFilter, LeadSort } from '@x-automated/contract/leads'
import { Search, Undo2, Users } from 'lucide-react'
import { useRef, useState } from 'react'
import { useSearchParams } from 'react-router'
import { api, failureText } from '../../api'
import { paths } from '../../paths'
import { Button, ButtonLink } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { useConfirm } from '../../ui/confirm'
import { EmptyState } from '../../ui/empty-state'
import { Pager } from '../../ui/pager'
import { LoadingText } from '../../ui/skeleton'
import { UsageNotice } from '../billing/usage-notice'
import { useBulkRuns } from './bulk-runs'
import { LeadFilters } from './lead-filters'
import { type Picked, pickedCount, useLeadSelection } from './lead-selection'
import { LeadSheet } from './lead-sheet'
import { filterStatusOf } from './lead-status'
import { LeadsTable } from './leads-table'
import { LeadsToolbar } from './leads-toolbar'
import { LEADS_ON_A_PAGE, parseLeadsParams, toLeadsParams } from './leads-url'
import { removedCount } from './removal'
import { DELETING, useLastRemoval, useRemoveLeads, useRestoreLeads, useSuppressLeads } from './use-bulk'
import { DEFAULT_MESSAGE, useQueueDms } from './use-queue-dms'

/** While messages wait to be sent, their statuses move. */
const POLL_EVERY_MS = 5_000

/** Everyone that was found: filtered, picked, put in lists, tagged, written to. */
export function Leads() {
  const [params, setParams] = useSearchParams()
  const { filter, page, sort } = parseLeadsParams(params)
  const cursors = useCursors(filter, sort)
  const leads = useQuery(
    api.leads.list.queryOptions({
      input: { ...filter, sort, page, pageSize: LEADS_ON_A_PAGE, ...cursors.of(page) },
      placeholderData: keepPreviousData,
      refetchInterval: (query) =>
        query.state.data?.leads.some((lead) => filterStatusOf(lead) === 'queued') ? POLL_EVERY_MS : false,
    }),
  )
  if (leads.data && !leads.isPlaceholderData) cursors.note(leads.data.page + 1, leads.data.cursor)
  const shown = leads.data?.leads
  const total = leads.data?.total ?? 0
  const selection = useLeadSelection(filter, shown ?? [])
  const [message, setMessage] = useState(DEFAULT_MESSAGE)
  const [deletion, onDeletion] = useLastRemoval()
  const [opened, setOpened] = useState<string | null>(null)
  const queue = useQueueDms()
  const confirm = useConfirm()
  const done = () => {
    selection.clear()
    setOpened(null)
  }
  const remove = useRemoveLeads(onDeletion, done)
  // What is still being deleted cannot be taken back yet.
  const isDeleting = useBulkRuns().some(({ doing }) => doing === DELETING)
  const restore = useRestoreLeads(onDeletion)
  const suppress = useSuppressLeads(done)
  const goTo = (next: LeadFilter, nextPage: number, how: { replace?: boolean; sort?: LeadSort } = {}) =>
    setParams(toLeadsParams(next, nextPage, how.sort ?? sort), {
      preventScrollReset: true,
      replace: how.replace ?? false,
      // At once: what is typed or pressed next goes on from this filter, not from the one before.
      flushSync: true,
    })

  const askToRemove = async (picked: Picked, name?: string) => {
    const count = pickedCount(picked)
    const sure = await confirm({
      title: name ? `Delete @${name}?` : `Delete ${count.toLocaleString('en-US')} ${count === 1 ? 'lead' : 'leads'}?`,
      body: `Are you sure you want to delete ${count === 1 ? 'this lead? It is' : 'these leads? They are'} taken out of every list too. Messages that were sent stay sent.${'everyone' in picked ? ' Those that were written to or are suppressed are among them.' : ''} For an hour this can be undone.`,
      confirm: count === 1 ? 'Delete lead' : 'Delete leads',
      danger: true,
    })
    if (sure) remove.mutate({ picked, input: null })
  }
  const askToSuppress = async (picked: Picked, name?: string) => {
    const count = pickedCount(picked)
    const sure = await confirm({
      title: name
        ? `Suppress @${name}?`
        : `Suppress ${count.toLocaleString('en-US')} ${count === 1 ? 'lead' : 'leads'}?`,
      body: 'Nobody in this workspace can write to them any more, in any campaign. What is queued for them is stopped.',
      confirm: count === 1 ? 'Suppress lead' : 'Suppress leads',
      danger: true,
    })
    if (sure) suppress.mutate({ picked, input: null })
  }

  const isFiltered = Object.values(filter).some((value) => value !== undefined)
  const removed = removedCount(deletion?.parts ?? [])
  const undo = deletion && removed > 0 && (
    <Callout
      title={`${removed.toLocaleString('en-US')} ${removed === 1 ? 'lead was' : 'leads were'} deleted.`}
      action={
        <span className="flex gap-2">
          <Button
            size="sm"
            icon={<Undo2 aria-hidden />}
            disabled={isDeleting}
            loading={restore.isPending}
            onClick={() => restore.mutate(deletion)}
          >
            Undo
          </Button>
          <Button size="sm" variant="ghost" onClick={() => onDeletion({ ...deletion, parts: [] })}>
            Dismiss
          </Button>
        </span>
      }
    >
      They can be brought back within the hour, with their lists, tags and messages.
    </Callout>
  )
  if (leads.data && total === 0 && !isFiltered && !leads.isPlaceholderData)
    return (
      <div className="grid gap-4">
        {undo}
        <NoLeads />
      </div>
    )
  return (
    <div className="grid gap-4">
      {undo}
      <LeadFilters
        view={{ filter, sort, page }}
        onChange={(next) => goTo(next, 1, { replace: true })}
        onSort={(next) => goTo(filter, 1, { replace: true, sort: next })}
        onPick={(saved) => goTo(saved.filter, 1, { sort: saved.sort })}
      />
      {leads.isError && !leads.data ? (
        <Callout
          tone="bad"
          action={
            <Button size="sm" onClick={() => leads.refetch()} loading={leads.isFetching}>
              Try Again
            </Button>
          }
        >
          {failureText(leads.error, 'Failed to load leads', 'An unexpected error occurred while loading leads')}
        </Callout>
      ) : leads.data && total === 0 ? (
        <EmptyState
          icon={<Search aria-hidden />}
          title="No leads found with the selected filter."
          action={<Button onClick={() => goTo({}, 1)}>Clear filters</Button>}
        >
          Leads match when their bio, name or handle has the keyword, and their followers, status, tag and basis fit.
        </EmptyState>
      ) : (
        <div>
          <div className="pb-3 empty:hidden">
            <UsageNotice what="dms" />
          </div>
          {leads.isPending && <LoadingText>Loading leads...</LoadingText>}
          <LeadsToolbar
            filter={filter}
            total={leads.data ? total : null}
            stale={leads.isPlaceholderData}
            onClearFilter={isFiltered ? () => goTo({}, 1) : null}
            selection={selection}
            message={message}
            onMessage={setMessage}
            sending={queue.isPending}
            onSend={(picked) => {
              queue.mutate({ picked, message })
              selection.clear()
            }}
            onRemove={askToRemove}
            onSuppress={askToSuppress}
          />
          <LeadsTable
            leads={shown}
            stale={leads.isPlaceholderData}
            sort={sort}
            onSort={(next) => goTo(filter, 1, { replace: true, sort: next })}
            selection={selection}
            onOpen={(lead) => setOpened(lead.id)}
            onSend={(lead) => queue.mutate({ picked: { ids: [lead.id] }, message })}
            onSuppress={(lead) => askToSuppress({ ids: [lead.id] }, lead.twitterHandle)}
            onRemove={(lead) => askToRemove({ ids: [lead.id] }, lead.twitterHandle)}
          />
          <Pager
            page={page}
            pageSize={LEADS_ON_A_PAGE}
            total={leads.data?.total}
            stale={leads.isFetching}
            // A page that is gone is no place to go back to.
            onChange={(next) => goTo(filter, next, { replace: page > Math.ceil(total / LEADS_ON_A_PAGE) })}
            noun="leads"
          />
        </div>
      )}
      <LeadSheet
        id={opened}
        onClose={() => setOpened(null)}
        onSuppress={(lead) => askToSuppress({ ids: [lead.id] }, lead.twitterHandle)}
        onRemove={(lead) => askToRemove({ ids: [lead.id] }, lead.twitterHandle)}
      />
    </div>
  )
}

/** Where each next page begins, as the pages before told: however deep, it then costs what the first one does. */
function useCursors(filter: LeadFilter, sort: LeadSort) {
  const under = JSON.stringify([filter, sort])
  const kept = useRef({ under, byPage: new Map<number, string>() })
  if (kept.current.under !== under) kept.current = { under, byPage: new Map() }
  const { byPage } = kept.current
  return {
    of: (page: number) => {
      const cursor = byPage.get(page)
      return cursor === undefined ? {} : { cursor }
    },
    note: (page: number, cursor: string | null) => {
      if (cursor === null) byPage.delete(page)
      else byPage.set(page, cursor)
    },
  }
}

function NoLeads() {
  return (
    <EmptyState
      icon={<Users aria-hidden />}
      title="No leads yet"
      action={
        <ButtonLink to={`${paths.xAutomation}?tab=scraper`} variant="primary" icon={<Search aria-hidden />}>
          Scrape followers
        </ButtonLink>
      }
    >
      Leads are people on X whom you may want to write to. Scrape who follows a handle that your customers follow, or
      import your own list as a CSV file.
    </EmptyState>
  )
}
