import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query'
import type { Lead, LeadFilter } from '@x-automated/contract/leads'
import { ListPlus, Pencil, Search, Send, Users, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useSearchParams } from 'react-router'
import { api } from '../../api'
import { isRegistered, paths } from '../../paths'
import { Button, ButtonLink } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { useConfirm } from '../../ui/confirm'
import { EmptyState } from '../../ui/empty-state'
import { Pager } from '../../ui/pager'
import { shorten } from '../../ui/shorten'
import { LoadingWords } from '../../ui/skeleton'
import { AddToList } from './add-to-list'
import { failureWords } from './failure-words'
import { LEADS_ON_A_PAGE, readAddress, writeAddress } from './lead-address'
import { LeadFilters } from './lead-filters'
import { type Picked, pickedCount, useLeadSelection } from './lead-selection'
import { messageableParts, standingOf } from './lead-standing'
import { LeadsTable, PagePick } from './leads-table'
import { MessageDialog } from './message-dialog'
import { DEFAULT_MESSAGE, useQueueDms } from './use-queue-dms'
import { useRemoveLead } from './use-remove-lead'

/** While messages wait to be sent, their statuses move. */
const LOOK_AGAIN_MS = 5_000
const MESSAGE_SHOWN = 70

/** Everyone that was found: filtered, picked, put in lists, written to. */
export function Leads() {
  const [params, setParams] = useSearchParams()
  const { filter, page } = readAddress(params)
  const leads = useQuery(
    api.leads.list.queryOptions({
      input: { ...filter, page, pageSize: LEADS_ON_A_PAGE },
      placeholderData: keepPreviousData,
      refetchInterval: (query) =>
        query.state.data?.leads.some((lead) => standingOf(lead) === 'queued') ? LOOK_AGAIN_MS : false,
    }),
  )
  const shown = leads.data?.leads
  const total = leads.data?.total ?? 0
  const selection = useLeadSelection(filter, shown ?? [])
  const [message, setMessage] = useState(DEFAULT_MESSAGE)
  const queue = useQueueDms()
  const remove = useRemoveLead()
  const goTo = (next: LeadFilter, nextPage: number, how?: { replace: boolean }) =>
    setParams(writeAddress(next, nextPage), { preventScrollReset: true, ...how })

  // The last page is gone when its leads are.
  const pages = Math.max(1, Math.ceil(total / LEADS_ON_A_PAGE))
  const isBehindTheEnd = leads.isSuccess && !leads.isPlaceholderData && page > pages
  useEffect(() => {
    if (isBehindTheEnd) goTo(filter, pages, { replace: true })
  })

  const isFiltered = Object.values(filter).some((value) => value !== undefined)
  if (leads.isSuccess && total === 0 && !isFiltered && !leads.isPlaceholderData) return <NoLeads />
  return (
    <div className="grid gap-4">
      <LeadFilters filter={filter} onChange={(next) => goTo(next, 1, { replace: true })} />
      {leads.isError ? (
        <Callout
          tone="bad"
          action={
            <Button size="sm" onClick={() => leads.refetch()} loading={leads.isFetching}>
              Try Again
            </Button>
          }
        >
          {failureWords(leads.error, 'Failed to load leads', 'An unexpected error occurred while loading leads')}
        </Callout>
      ) : leads.isSuccess && total === 0 ? (
        <EmptyState
          icon={<Search aria-hidden />}
          title="No leads found with the selected filter."
          action={<Button onClick={() => goTo({}, 1)}>Clear filters</Button>}
        >
          Leads match when their bio, name or handle has the keyword, and their followers and status fit.
        </EmptyState>
      ) : (
        <div>
          {leads.isPending && <LoadingWords>Loading leads...</LoadingWords>}
          <Toolbar
            filter={filter}
            total={leads.isSuccess ? total : null}
            onClearFilter={isFiltered ? () => goTo({}, 1) : null}
            selection={selection}
            message={message}
            onMessage={setMessage}
            sending={queue.isPending}
            onSend={(picked) => {
              queue.mutate({ picked, message })
              selection.clear()
            }}
          />
          <LeadsTable
            leads={shown}
            stale={leads.isPlaceholderData}
            selection={selection}
            onSend={(lead: Lead) => queue.mutate({ picked: { ids: [lead.id] }, message })}
            onRemove={remove}
          />
          <Pager
            page={page}
            pageSize={LEADS_ON_A_PAGE}
            total={total}
            onChange={(next) => goTo(filter, next)}
            noun="leads"
          />
        </div>
      )}
    </div>
  )
}

interface ToolbarProps {
  filter: LeadFilter
  /** Null while it is not known. */
  total: number | null
  /** Null where nothing is filtered. */
  onClearFilter: (() => void) | null
  selection: ReturnType<typeof useLeadSelection>
  message: string
  onMessage: (message: string) => void
  sending: boolean
  onSend: (picked: Picked) => void
}

/** What can be done with the leads that are picked. */
function Toolbar({ filter, total, onClearFilter, selection, message, onMessage, sending, onSend }: ToolbarProps) {
  const confirm = useConfirm()
  const [open, setOpen] = useState<'list' | 'message' | null>(null)
  // All on every page is offered once all of this page are picked.
  const offersAll = selection.page === 'all' && (total ?? 0) > selection.ids.length
  const messageable = useMessageableCount(filter, offersAll || selection.all)
  const picked: Picked = selection.all ? { matching: filter, count: messageable ?? 0 } : { ids: selection.ids }
  const count = pickedCount(picked)

  const send = async () => {
    const sure =
      'ids' in picked ||
      (await confirm({
        title: `Send a DM to ${count.toLocaleString('en-US')} leads?`,
        body: `Each gets: “${shorten(message, 200)}” They are sent one after the other, at the pace of your X account.`,
        confirm: `Queue ${count.toLocaleString('en-US')} DMs`,
      }))
    if (sure) onSend(picked)
  }

  return (
    <div className="grid gap-2 pb-3">
      <div className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-2">
        <span className="md:hidden">
          <PagePick selection={selection} label="Select all leads on this page" />
        </span>
        <p className="text-muted" role="status" data-numeric>
          {count > 0
            ? `${count.toLocaleString('en-US')} selected`
            : total !== null && `${total.toLocaleString('en-US')} ${total === 1 ? 'lead' : 'leads'}`}
        </p>
        {count > 0 ? (
          <Button size="sm" variant="ghost" icon={<X aria-hidden />} onClick={selection.clear}>
            Clear selection
          </Button>
        ) : (
          onClearFilter && (
            <Button size="sm" variant="ghost" icon={<X aria-hidden />} onClick={onClearFilter}>
              Clear filters
            </Button>
          )
        )}
        {offersAll && !selection.all && messageable !== null && messageable > count && (
          <Button size="sm" variant="ghost" onClick={selection.pickAll}>
            Select all {messageable.toLocaleString('en-US')} that can be messaged
          </Button>
        )}
        <div className="ms-auto flex gap-2 max-sm:w-full max-sm:[&>*]:flex-1">
          <Button size="sm" icon={<ListPlus aria-hidden />} disabled={count === 0} onClick={() => setOpen('list')}>
            Add to list
          </Button>
          <Button
            size="sm"
            variant={count > 0 ? 'primary' : 'secondary'}
            icon={<Send aria-hidden />}
            disabled={count === 0}
            loading={sending}
            onClick={send}
          >
            Send DM{count > 1 && ` to ${count.toLocaleString('en-US')}`}
          </Button>
        </div>
      </div>
      <p className="flex flex-wrap items-center gap-x-2 text-muted">
        <span className="min-w-0 wrap-anywhere">
          A DM says: <bdi className="text-ink">“{shorten(message, MESSAGE_SHOWN)}”</bdi>
        </span>
        <Button
          size="sm"
          variant="ghost"
          icon={<Pencil aria-hidden />}
          className="max-sm:-ms-2.5"
          onClick={() => setOpen('message')}
        >
          Edit message
        </Button>
      </p>
      <AddToList open={open === 'list'} onClose={() => setOpen(null)} picked={picked} onAdded={selection.clear} />
      <MessageDialog
        open={open === 'message'}
        onClose={() => setOpen(null)}
        message={message}
        onSave={(next) => {
          onMessage(next)
          setOpen(null)
        }}
      />
    </div>
  )
}

/** How many leads match and can be messaged; null until it is known. Only asked where `wanted`. */
function useMessageableCount(filter: LeadFilter, wanted: boolean): number | null {
  const parts = useQueries({
    queries: messageableParts(filter).map((part) =>
      api.leads.list.queryOptions({ input: { ...part, page: 1, pageSize: 1 }, enabled: wanted }),
    ),
  })
  let count = 0
  for (const { data } of parts) {
    if (data === undefined) return null
    count += data.total
  }
  return count
}

function NoLeads() {
  return (
    <EmptyState
      icon={<Users aria-hidden />}
      title="No leads yet"
      action={
        isRegistered('xAutomation') && (
          <ButtonLink to={`${paths.xAutomation}?tab=scraper`} variant="primary" icon={<Search aria-hidden />}>
            Scrape followers
          </ButtonLink>
        )
      }
    >
      Leads are people on X whom you may want to write to. Scrape who follows a handle that your customers follow, or
      import your own list as a CSV file.
    </EmptyState>
  )
}
