import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { LeadSort, ListedLead } from '@x-automated/contract/leads/leads'
import { Search, Users } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { useLocation, useNavigationType, useSearchParams } from 'react-router'
import { api, errorCode, errorText, failureText } from '../../../api'
import { usePageCursors } from '../../../page-cursors'
import { paths } from '../../../paths'
import { QueryError } from '../../../query-error'
import { Button, ButtonLink } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { EmptyState } from '../../../ui/empty-state'
import { Pager, type PagerProps } from '../../../ui/pager'
import { Select } from '../../../ui/select'
import { LoadingText } from '../../../ui/skeleton'
import { useDialogs } from '../../../ui/use-dialogs'
import { useFocusFallback } from '../../../ui/use-focus-fallback'
import { useIsOffered } from '../../identity/people/use-role'
import { SeePlans } from '../../platform/billing/usage-notice'
import { ActionDialog } from './action-dialog'
import { ColumnsMenu } from './columns-menu'
import { LeadFilters } from './lead-filters'
import type { Picked } from './lead-selection'
import { LeadSheet, type LeadSheetProps } from './lead-sheet'
import { filterStatusOf } from './lead-status'
import { PAGE_SIZES } from './leads-columns'
import { LeadsTable } from './leads-table'
import { type LeadsAction, LeadsToolbar, usePicked } from './leads-toolbar'
import { isFiltered } from './leads-url'
import { useConfirmedChanges } from './use-confirmed-changes'
import { useLeadsKeys } from './use-leads-keys'
import { useLeadsTable } from './use-leads-table'
import { useLeadsView } from './use-leads-view'
import { useQueueDms } from './use-queue-dms'
import { useTableLayout } from './use-table-layout'
import { useWalk } from './use-walk'

/** How often to poll while leads on the page are queued. */
const POLL_EVERY_MS = 5_000

interface LeadsProps extends Pick<LeadSheetProps, 'renderThread' | 'renderNotes'> {
  /** Shown below sample leads. */
  sampleBar: ReactNode
  /** Shown while there are no leads. */
  sampleOffer: ReactNode
}

/** The Leads page: filter, select, list, tag and message leads. */
export function Leads({ sampleBar, sampleOffer, ...conversations }: LeadsProps) {
  const [params] = useSearchParams()
  const { filter, page, sort, goTo } = useLeadsView()
  const { layout, changeLayout } = useTableLayout({ filter, page, sort })
  const { pageSize } = layout
  const cursors = usePageCursors(JSON.stringify([filter, sort, pageSize]))
  const leads = useQuery(
    api.leads.list.queryOptions({
      input: { ...filter, sort, page, pageSize, cursor: cursors.cursorOf(page), total: 'none' },
      placeholderData: keepPreviousData,
      refetchInterval: (query) =>
        query.state.data?.leads.some((lead) => filterStatusOf(lead) === 'queued') ? POLL_EVERY_MS : false,
    }),
  )
  // The total is a separate query, because a page loads faster.
  const count = useQuery(api.leads.count.queryOptions({ input: filter, placeholderData: keepPreviousData }))
  const isCurrentPage = leads.data !== undefined && !leads.isPlaceholderData
  const total = count.data && !(count.isPlaceholderData && isCurrentPage) ? count.data.total : null
  const visibleLeads = leads.data?.leads
  const isEmpty = visibleLeads?.length === 0 && (page === 1 || total === 0)
  const hasNextPage = Boolean(leads.data?.cursor)
  const [opened, setOpened] = useOpenedLead(params.get('lead'))
  const queue = useQueueDms()
  const onSort = (next: LeadSort) => goTo(filter, 1, { replace: true, sort: next })
  const selection = useLeadsTable({ leads: visibleLeads, filter, sort, onSort, layout })
  const { picked, messageable } = usePicked(filter, total, selection)
  const { askToRemove, askToSuppress } = useConfirmedChanges(() => {
    selection.clear()
    setOpened(null)
  })
  // `of` is null to act on the selection, which may shrink while the dialog is open.
  const dialogs = useDialogs<{ action: LeadsAction; of: Picked | null; handle?: string | undefined }>()
  const act = (action: LeadsAction, of: Picked, handle?: string) => {
    if (action === 'remove') void askToRemove(of, handle)
    else if (action === 'suppress') void askToSuppress(of, handle)
    else dialogs.show({ action, of: of === picked ? null : of, handle })
  }
  const actOn = (action: LeadsAction) => (lead: Pick<ListedLead, 'id' | 'twitterHandle'>) =>
    act(action, { ids: [lead.id] }, lead.twitterHandle)
  const mayWrite = useIsOffered('member')
  const focusFallback = useFocusFallback<HTMLDivElement>()
  useLeadsKeys({ selection, picked, act, onOpen: setOpened, mayWrite })
  const goToPage = (next: number) => {
    if (!leads.isPlaceholderData) cursors.keep(page + 1, leads.data?.cursor)
    // If the page no longer exists, replace its URL to keep it out of the history.
    goTo(filter, next, { replace: total !== null && page > Math.ceil(total / pageSize) })
  }
  const walk = useWalk({
    leads: leads.isPlaceholderData ? undefined : visibleLeads,
    first: (page - 1) * pageSize,
    total,
    hasNextPage,
    opened,
    onOpen: setOpened,
    onPage: (by) => goToPage(page + by),
  })

  if (isEmpty && isCurrentPage && !isFiltered(filter)) return <NoLeads offer={sampleOffer} />
  return (
    <div {...focusFallback} className="outline-none md:-mt-6">
      <LeadFilters
        view={{ filter, sort, page }}
        onChange={(next) => goTo(next, 1, { replace: true })}
        onSort={onSort}
        onPick={(saved) => goTo(saved.filter, 1, { sort: saved.sort })}
      >
        <ColumnsMenu layout={layout} onChange={changeLayout} />
      </LeadFilters>
      {leads.isError && !leads.data ? (
        <div className="pt-4">
          {errorCode(leads.error) === 'PLAN_LIMIT' ? (
            <Callout
              tone="warn"
              title="Your plan doesn't include this filter"
              action={
                <div className="flex gap-2">
                  <SeePlans />
                  <Button size="sm" onClick={() => goTo({}, 1)}>
                    Clear filters
                  </Button>
                </div>
              }
            >
              {errorText(leads.error)}
            </Callout>
          ) : (
            <QueryError query={leads}>
              {failureText(leads.error, 'Failed to load leads', 'An unexpected error occurred while loading leads')}
            </QueryError>
          )}
        </div>
      ) : isEmpty ? (
        <div className="pt-4">
          <EmptyState
            icon={<Search />}
            title="No leads found with the selected filter."
            action={<Button onClick={() => goTo({}, 1)}>Clear filters</Button>}
          >
            The keyword is searched in bio, name and handle. Try fewer filters.
          </EmptyState>
        </div>
      ) : (
        <div>
          {leads.isPending && <LoadingText>Loading leads…</LoadingText>}
          <LeadsToolbar
            filter={filter}
            total={total}
            isUncounted={count.isError}
            stale={leads.isPlaceholderData || count.isPlaceholderData}
            onClearFilter={isFiltered(filter) ? () => goTo({}, 1) : null}
            selection={selection}
            picked={picked}
            messageable={messageable}
            sending={queue.isPending}
            onAct={act}
          />
          <LeadsTable
            selection={selection}
            layout={layout}
            onLayout={changeLayout}
            loading={!visibleLeads}
            stale={leads.isPlaceholderData}
            onOpen={(lead) => setOpened(lead.id)}
            onSend={actOn('send')}
            onList={actOn('list')}
            onSuppress={actOn('suppress')}
            onRemove={actOn('remove')}
          />
          {visibleLeads?.some(({ isSample }) => isSample) && <div className="px-4 pt-2 md:px-6">{sampleBar}</div>}
          <LeadsPager
            page={page}
            query={{ data: { total }, isFetching: leads.isFetching || count.isFetching }}
            hasNext={hasNextPage}
            onPage={goToPage}
            pageSize={pageSize}
            onPageSize={(size) => changeLayout({ ...layout, pageSize: size })}
          />
        </div>
      )}
      <LeadSheet
        id={opened}
        onClose={() => setOpened(null)}
        {...walk}
        onSend={(lead, message) => queue.mutate({ picked: { ids: [lead.id] }, message })}
        onSuppress={actOn('suppress')}
        onRemove={actOn('remove')}
        {...conversations}
      />
      {dialogs.render(({ action, of, handle }, props) => (
        <ActionDialog
          action={action}
          picked={of ?? picked}
          handle={handle}
          onDone={of ? () => {} : selection.clear}
          onSend={(message) => queue.mutate({ picked: of ?? picked, message })}
          onManageTags={() => act('tags', picked)}
          {...props}
        />
      ))}
    </div>
  )
}

/** The lead in the sheet. A lead in the URL opens with the page, and also when search adds it to the URL later. */
function useOpenedLead(named: string | null) {
  const [opened, setOpened] = useState(named)
  const { key } = useLocation()
  const navigation = useNavigationType()
  const [seenKey, setSeenKey] = useState(key)
  if (key !== seenKey) {
    setSeenKey(key)
    // Changing the filter or page keeps the sheet open. Back closes it.
    if (named !== null || navigation === 'POP') setOpened(named)
  }
  return [opened, setOpened] as const
}

interface LeadsPagerProps {
  page: number
  query: PagerProps['query']
  hasNext: boolean
  onPage: (page: number) => void
  pageSize: number
  onPageSize: (size: number) => void
}

function LeadsPager({ page, query, hasNext, onPage, pageSize, onPageSize }: LeadsPagerProps) {
  const id = useId()
  return (
    <div className="flex flex-wrap items-end gap-x-4 text-ui *:first:flex-1">
      <div>
        <Pager page={page} pageSize={pageSize} query={query} hasNext={hasNext} onChange={onPage} noun="leads" />
      </div>
      {(query.data?.total ?? 0) > PAGE_SIZES[0] && (
        <div className="flex items-center gap-2 pt-4 text-muted max-md:hidden">
          <label htmlFor={id}>Rows</label>
          <Select
            id={id}
            className="w-auto!"
            value={String(pageSize)}
            options={PAGE_SIZES.map((size) => ({ value: String(size), label: String(size) }))}
            onChange={(event) => onPageSize(Number(event.currentTarget.value))}
          />
        </div>
      )}
    </div>
  )
}

function NoLeads({ offer }: { offer: ReactNode }) {
  return (
    <EmptyState
      icon={<Users />}
      title="No leads yet"
      action={
        <div className="flex flex-wrap justify-center gap-2">
          <ButtonLink to={`${paths.xAutomation}?tab=scraper`} variant="primary" icon={<Search />}>
            Scrape followers
          </ButtonLink>
          {offer}
        </div>
      }
    >
      Leads are people on X you may want to message. Scrape the followers of an account your customers follow, or import
      a CSV file.
    </EmptyState>
  )
}
