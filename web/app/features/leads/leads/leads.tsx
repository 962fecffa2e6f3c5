import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { formatCount, pluralize } from '@x-automated/contract/format'
import type { LeadFilter, LeadSort } from '@x-automated/contract/leads/leads'
import { Search, Undo2, Users } from 'lucide-react'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { api, failureText } from '../../../api'
import { usePageCursors } from '../../../page-cursors'
import { paths } from '../../../paths'
import { QueryError } from '../../../query-error'
import { Button, ButtonLink } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { useConfirm } from '../../../ui/confirm'
import { EmptyState } from '../../../ui/empty-state'
import { Pager } from '../../../ui/pager'
import { LoadingText } from '../../../ui/skeleton'
import { UsageNotice } from '../../platform/billing/usage-notice'
import { useBulkRuns } from './bulk-runs'
import { LeadFilters } from './lead-filters'
import { type Picked, pickedCount } from './lead-selection'
import { LeadSheet } from './lead-sheet'
import { filterStatusOf } from './lead-status'
import { LeadsTable } from './leads-table'
import { LeadsToolbar } from './leads-toolbar'
import { isFiltered, LEADS_PER_PAGE, parseLeadsParams, toLeadsParams } from './leads-url'
import { type Deletion, removedCount } from './removal'
import { DELETING, useLastRemoval, useRemoveLeads, useRestoreLeads, useSuppressLeads } from './use-bulk'
import { useLeadsTable } from './use-leads-table'
import { DEFAULT_MESSAGE, useQueueDms } from './use-queue-dms'

/** Polls while leads on the page are queued. */
const POLL_EVERY_MS = 5_000

/** The Leads page: filter, select, list, tag and message leads. */
export function Leads() {
  const [params, setParams] = useSearchParams()
  const { filter, page, sort } = parseLeadsParams(params)
  const cursors = usePageCursors(JSON.stringify([filter, sort]))
  const leads = useQuery(
    api.leads.list.queryOptions({
      input: { ...filter, sort, page, pageSize: LEADS_PER_PAGE, cursor: cursors.cursorOf(page) },
      placeholderData: keepPreviousData,
      refetchInterval: (query) =>
        query.state.data?.leads.some((lead) => filterStatusOf(lead) === 'queued') ? POLL_EVERY_MS : false,
    }),
  )
  const shown = leads.data?.leads
  const total = leads.data?.total ?? 0
  const [message, setMessage] = useState(DEFAULT_MESSAGE)
  const [deletion, onDeletion] = useLastRemoval()
  const [opened, setOpened] = useState(params.get('lead'))
  const queue = useQueueDms()
  const goTo = (next: LeadFilter, nextPage: number, how: { replace?: boolean; sort?: LeadSort } = {}) =>
    setParams(toLeadsParams(next, nextPage, how.sort ?? sort), {
      preventScrollReset: true,
      replace: how.replace ?? false,
      // Synchronous, so that the next input starts from this filter.
      flushSync: true,
    })
  const onSort = (next: LeadSort) => goTo(filter, 1, { replace: true, sort: next })
  const selection = useLeadsTable({ leads: shown, filter, sort, onSort })
  const { askToRemove, askToSuppress } = useConfirmedChanges(onDeletion, () => {
    selection.clear()
    setOpened(null)
  })

  const undo = <UndoDeletion deletion={deletion} onDeletion={onDeletion} />
  if (leads.data && total === 0 && !isFiltered(filter) && !leads.isPlaceholderData)
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
        onSort={onSort}
        onPick={(saved) => goTo(saved.filter, 1, { sort: saved.sort })}
      />
      {leads.isError && !leads.data ? (
        <QueryError query={leads}>
          {failureText(leads.error, 'Failed to load leads', 'An unexpected error occurred while loading leads')}
        </QueryError>
      ) : leads.data && total === 0 ? (
        <EmptyState
          icon={<Search />}
          title="No leads found with the selected filter."
          action={<Button onClick={() => goTo({}, 1)}>Clear filters</Button>}
        >
          The keyword is searched in bio, name and handle. Try fewer filters.
        </EmptyState>
      ) : (
        <div>
          <div className="pb-3 empty:hidden">
            <UsageNotice what="dms" />
          </div>
          {leads.isPending && <LoadingText>Loading leads…</LoadingText>}
          <LeadsToolbar
            filter={filter}
            total={leads.data ? total : null}
            stale={leads.isPlaceholderData}
            onClearFilter={isFiltered(filter) ? () => goTo({}, 1) : null}
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
            table={selection.table}
            loading={!shown}
            stale={leads.isPlaceholderData}
            onOpen={(lead) => setOpened(lead.id)}
            onSend={(lead) => queue.mutate({ picked: { ids: [lead.id] }, message })}
            onSuppress={(lead) => askToSuppress({ ids: [lead.id] }, lead.twitterHandle)}
            onRemove={(lead) => askToRemove({ ids: [lead.id] }, lead.twitterHandle)}
          />
          <Pager
            page={page}
            pageSize={LEADS_PER_PAGE}
            query={leads}
            // Replace the URL of a page that no longer exists, to keep it out of the history.
            onChange={(next) => {
              if (!leads.isPlaceholderData) cursors.keep(page + 1, leads.data?.cursor)
              goTo(filter, next, { replace: page > Math.ceil(total / LEADS_PER_PAGE) })
            }}
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

/** Deletes or suppresses leads once the user has confirmed. */
function useConfirmedChanges(onDeletion: (deletion: Deletion) => void, onDone: () => void) {
  const confirm = useConfirm()
  const remove = useRemoveLeads(onDeletion, onDone)
  const suppress = useSuppressLeads(onDone)
  const askToRemove = async (picked: Picked, name?: string) => {
    const count = pickedCount(picked)
    const sure = await confirm({
      title: name ? `Delete @${name}?` : `Delete ${formatCount(count, 'lead')}?`,
      body: `Are you sure you want to delete ${pluralize(count, 'this lead', 'these leads')}? This also removes ${pluralize(count, 'it', 'them')} from every list. Sent messages aren't affected.${'everyone' in picked ? ' This includes contacted and suppressed leads.' : ''} You can undo this for an hour.`,
      confirm: `Delete ${pluralize(count, 'lead')}`,
      danger: true,
    })
    if (sure) remove.mutate({ picked, input: null })
  }
  const askToSuppress = async (picked: Picked, name?: string) => {
    const count = pickedCount(picked)
    const sure = await confirm({
      title: name ? `Suppress @${name}?` : `Suppress ${formatCount(count, 'lead')}?`,
      body: 'No one in this workspace can message them, in any campaign. Their queued messages are stopped.',
      confirm: `Suppress ${pluralize(count, 'lead')}`,
      danger: true,
    })
    if (sure) suppress.mutate({ picked, input: null })
  }
  return { askToRemove, askToSuppress }
}

/** Offers to undo the last deletion. */
function UndoDeletion({ deletion, onDeletion }: { deletion: Deletion | null; onDeletion: (of: Deletion) => void }) {
  // A deletion can only be undone once it has finished.
  const isDeleting = useBulkRuns().some(({ doing }) => doing === DELETING)
  const restore = useRestoreLeads(onDeletion)
  const removed = removedCount(deletion?.parts ?? [])
  if (!deletion || removed === 0) return null
  return (
    <Callout
      title={`${formatCount(removed, 'lead')} deleted.`}
      action={
        <span className="flex gap-2">
          <Button
            size="sm"
            icon={<Undo2 />}
            disabled={isDeleting}
            loading={restore.isPending}
            onClick={() => restore.run(deletion)}
          >
            Undo
          </Button>
          <Button size="sm" variant="ghost" onClick={() => onDeletion({ ...deletion, parts: [] })}>
            Dismiss
          </Button>
        </span>
      }
    >
      You can restore {pluralize(removed, 'it', 'them')} for an hour, with {pluralize(removed, 'its', 'their')} lists,
      tags and messages.
    </Callout>
  )
}

function NoLeads() {
  return (
    <EmptyState
      icon={<Users />}
      title="No leads yet"
      action={
        <ButtonLink to={`${paths.xAutomation}?tab=scraper`} variant="primary" icon={<Search />}>
          Scrape followers
        </ButtonLink>
      }
    >
      Leads are people on X you may want to message. Scrape the followers of an account your customers follow, or import
      a CSV file.
    </EmptyState>
  )
}
