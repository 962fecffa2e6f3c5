import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { formatCount, formatNumber, pluralize } from '@x-automated/contract/format'
import type { LeadSort, ListedLead } from '@x-automated/contract/leads/leads'
import { Search, Users } from 'lucide-react'
import { useId, useMemo, useState } from 'react'
import { useLocation, useNavigate, useNavigationType, useSearchParams } from 'react-router'
import { api, failureText } from '../../../api'
import { usePageCursors } from '../../../page-cursors'
import { paths } from '../../../paths'
import { QueryError } from '../../../query-error'
import { Button, ButtonLink } from '../../../ui/button'
import { useConfirm } from '../../../ui/confirm'
import { EmptyState } from '../../../ui/empty-state'
import { Pager } from '../../../ui/pager'
import { Select } from '../../../ui/select'
import { LoadingText } from '../../../ui/skeleton'
import { type ShownDialog, useDialogs } from '../../../ui/use-dialogs'
import { type KeyGroup, useKeys } from '../../../ui/use-keys'
import { useIsOffered } from '../../identity/people/use-role'
import SampleBar from '../sample-data/sample-bar'
import SampleOffer from '../sample-data/sample-offer'
import { AddToList } from './add-to-list'
import { BasisDialog } from './basis-dialog'
import { ColumnsMenu } from './columns-menu'
import { LeadFilters } from './lead-filters'
import { isSingle, type Picked, pickedCount } from './lead-selection'
import { LeadSheet, type LeadSheetProps } from './lead-sheet'
import { filterStatusOf } from './lead-status'
import { PAGE_SIZES, parseLayout, type TableLayout } from './leads-columns'
import { LeadsTable } from './leads-table'
import { type LeadsAction, LeadsToolbar, usePicked } from './leads-toolbar'
import { isFiltered, toLeadsParams } from './leads-url'
import { ManageTagsDialog } from './manage-tags-dialog'
import { focusedLead, moveFocus } from './row-focus'
import { SendDialog } from './send-dialog'
import { TagDialog } from './tag-dialog'
import { useRemoveLeads, useSuppressLeads } from './use-bulk'
import { useKept } from './use-kept'
import { type LeadsSelection, useLeadsTable } from './use-leads-table'
import { useLeadsView } from './use-leads-view'
import { useQueueDms } from './use-queue-dms'

/** Polls while leads on the page are queued. */
const POLL_EVERY_MS = 5_000

const VIEWER_KEYS: readonly KeyGroup[] = [
  {
    title: 'Leads',
    keys: [
      ['J', 'Next lead'],
      ['K', 'Previous lead'],
      ['E', 'Open the lead'],
      ['F', 'Filter'],
    ],
  },
]
const LEADS_KEYS: readonly KeyGroup[] = [
  ...VIEWER_KEYS,
  {
    title: 'Selected or open leads',
    keys: [
      ['X', 'Select people'],
      ['T', 'Tags'],
      ['L', 'Add to list'],
      ['R', 'Message the open lead'],
      ['Esc', 'Clear the selection'],
    ],
  },
]

/** The Leads page: filter, select, list, tag and message leads. */
export function Leads(conversations: Pick<LeadSheetProps, 'renderThread' | 'renderNotes'>) {
  const [params] = useSearchParams()
  const { filter, page, sort, goTo } = useLeadsView()
  const [keptLayout, keepLayout] = useKept('leadsTable')
  const stored = useMemo(() => parseLayout(keptLayout), [keptLayout])
  const [dragged, setDragged] = useState<TableLayout | null>(null)
  const layout = dragged ?? stored
  const { pageSize } = layout
  const cursors = usePageCursors(JSON.stringify([filter, sort, pageSize]))
  const leads = useQuery(
    api.leads.list.queryOptions({
      input: { ...filter, sort, page, pageSize, cursor: cursors.cursorOf(page) },
      placeholderData: keepPreviousData,
      refetchInterval: (query) =>
        query.state.data?.leads.some((lead) => filterStatusOf(lead) === 'queued') ? POLL_EVERY_MS : false,
    }),
  )
  const shown = leads.data?.leads
  const total = leads.data?.total ?? 0
  const [opened, setOpened] = useOpenedLead(params.get('lead'))
  const queue = useQueueDms()
  const onSort = (next: LeadSort) => goTo(filter, 1, { replace: true, sort: next })
  const selection = useLeadsTable({ leads: shown, filter, sort, onSort, layout })
  const { picked, messageable } = usePicked(filter, leads.data ? total : null, selection)
  const { askToRemove, askToSuppress } = useConfirmedChanges(() => {
    selection.clear()
    setOpened(null)
  })
  // Null: the selection, which may shrink while the dialog is open.
  const dialogs = useDialogs<{ action: LeadsAction; of: Picked | null; handle?: string | undefined }>()
  const act = (action: LeadsAction, of: Picked, handle?: string) => {
    if (action === 'remove') void askToRemove(of, handle)
    else if (action === 'suppress') void askToSuppress(of, handle)
    else dialogs.show({ action, of: of === picked ? null : of, handle })
  }
  const actOn = (action: LeadsAction) => (lead: Pick<ListedLead, 'id' | 'twitterHandle'>) =>
    act(action, { ids: [lead.id] }, lead.twitterHandle)
  const mayWrite = useIsOffered('member')
  useLeadsKeys({ selection, picked, act, onOpen: setOpened, mayWrite })
  const goToPage = (next: number) => {
    if (!leads.isPlaceholderData) cursors.keep(page + 1, leads.data?.cursor)
    // Replace the URL of a page that no longer exists, to keep it out of the history.
    goTo(filter, next, { replace: page > Math.ceil(total / pageSize) })
  }
  const walk = useWalk({
    leads: leads.isPlaceholderData ? undefined : shown,
    first: (page - 1) * pageSize,
    total,
    opened,
    onOpen: setOpened,
    onPage: (by) => goToPage(page + by),
  })
  const navigate = useNavigate()
  const changeLayout = async (next: TableLayout, isDragging = false) => {
    setDragged(isDragging ? next : null)
    if (isDragging) return
    // First to the page of the new size that has the same leads: the page of today may not exist in it.
    if (next.pageSize !== pageSize) {
      const search = toLeadsParams(filter, Math.floor(((page - 1) * pageSize) / next.pageSize) + 1, sort)
      await navigate({ search: search.toString() }, { replace: true, preventScrollReset: true })
    }
    keepLayout(JSON.stringify(next))
  }

  if (leads.data && total === 0 && !isFiltered(filter) && !leads.isPlaceholderData) return <NoLeads />
  return (
    <div className="md:-mt-6">
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
          <QueryError query={leads}>
            {failureText(leads.error, 'Failed to load leads', 'An unexpected error occurred while loading leads')}
          </QueryError>
        </div>
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
          {leads.isPending && <LoadingText>Loading leads…</LoadingText>}
          <LeadsToolbar
            filter={filter}
            total={leads.data ? total : null}
            stale={leads.isPlaceholderData}
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
            loading={!shown}
            stale={leads.isPlaceholderData}
            onOpen={(lead) => setOpened(lead.id)}
            onSend={actOn('send')}
            onList={actOn('list')}
            onSuppress={actOn('suppress')}
            onRemove={actOn('remove')}
          />
          {shown?.some(({ isSample }) => isSample) && (
            <div className="px-4 pt-2 md:px-6">
              <SampleBar />
            </div>
          )}
          <div className="flex flex-wrap items-end gap-x-4 text-ui *:first:flex-1">
            <div>
              <Pager page={page} pageSize={pageSize} query={leads} onChange={goToPage} noun="leads" />
            </div>
            {total > PAGE_SIZES[0] && (
              <RowsPerPage value={pageSize} onChange={(size) => changeLayout({ ...layout, pageSize: size })} />
            )}
          </div>
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

interface ActionDialogProps extends ShownDialog {
  action: LeadsAction
  picked: Picked
  /** Of a single lead. */
  handle: string | undefined
  /** The leads were listed or messaged. */
  onDone: () => void
  onSend: (message: string) => void
  onManageTags: () => void
}

/** The dialog of an action on leads. Deletion and suppression ask in one of their own. */
function ActionDialog({ action, picked, handle, onDone, onSend, onManageTags, ...props }: ActionDialogProps) {
  switch (action) {
    case 'send': {
      const send = (message: string) => {
        onSend(message)
        onDone()
      }
      return <SendDialog picked={picked} handle={handle} onSend={send} {...props} />
    }
    case 'list':
      return <AddToList picked={picked} onAdded={onDone} {...props} />
    case 'tag':
      return <TagDialog picked={picked} onManage={onManageTags} {...props} />
    case 'basis':
      return <BasisDialog picked={picked} {...props} />
    case 'tags':
      return <ManageTagsDialog {...props} />
    default:
      return null
  }
}

/** The lead in the sheet: the one that the URL names, also when search opens it on this page. */
function useOpenedLead(named: string | null) {
  const [opened, setOpened] = useState(named)
  const { key } = useLocation()
  const navigation = useNavigationType()
  const [seenKey, setSeenKey] = useState(key)
  if (key !== seenKey) {
    setSeenKey(key)
    // Filters and pages leave the sheet as it is; Back closes it.
    if (named !== null || navigation === 'POP') setOpened(named)
  }
  return [opened, setOpened] as const
}

interface WalkInput {
  /** The current page; undefined while it loads. */
  leads: readonly ListedLead[] | undefined
  /** How many leads come before the page. */
  first: number
  total: number
  opened: string | null
  onOpen: (id: string) => void
  onPage: (by: 1 | -1) => void
}

/** The way from the open lead to its neighbors, across pages. */
function useWalk({
  leads,
  first,
  total,
  opened,
  onOpen,
  onPage,
}: WalkInput): Pick<LeadSheetProps, 'place' | 'onNext' | 'onPrevious'> {
  // The page that was asked for opens at this end.
  const [entry, setEntry] = useState<1 | -1 | null>(null)
  if (entry !== null && leads && !leads.some(({ id }) => id === opened)) {
    setEntry(null)
    const lead = leads.at(entry === 1 ? 0 : -1)
    if (lead && opened) onOpen(lead.id)
  }
  const at = leads?.findIndex(({ id }) => id === opened) ?? -1
  if (!leads || at < 0) return { place: null, onNext: null, onPrevious: null }
  const step = (by: 1 | -1) => {
    const next = leads[at + by]
    if (next) return () => onOpen(next.id)
    const place = first + at + by
    if (place < 0 || place >= total) return null
    return () => {
      setEntry(by)
      onPage(by)
    }
  }
  return {
    place: `${formatNumber(first + at + 1)} of ${formatNumber(total)}`,
    onNext: step(1),
    onPrevious: step(-1),
  }
}

interface LeadsKeys {
  selection: LeadsSelection
  picked: Picked
  act: (action: LeadsAction, picked: Picked) => void
  onOpen: (id: string) => void
  mayWrite: boolean
}

/** The keys of the page: they act on the selected leads, or on the row that has the focus. */
function useLeadsKeys({ selection, picked, act, onOpen, mayWrite }: LeadsKeys) {
  const { table, mode, switchTo, clear } = selection
  const open = () => {
    const id = focusedLead() ?? table.getRowModel().rows[0]?.id
    if (id) onOpen(id)
  }
  const actOnTarget = (action: LeadsAction) => () => {
    const id = focusedLead()
    if (pickedCount(picked) > 0) act(action, picked)
    else if (id) act(action, { ids: [id] })
  }
  const select = () => {
    const id = focusedLead()
    if (mode === 'messages') switchTo('people', id)
    else if (id)
      table
        .getRowModel()
        .rows.find((row) => row.id === id)
        ?.toggleSelected()
  }
  const isSelecting = mode === 'people' || pickedCount(picked) > 0
  useKeys(
    {
      j: () => moveFocus(1),
      k: () => moveFocus(-1),
      e: open,
      ...(mayWrite && { x: select, t: actOnTarget('tag'), l: actOnTarget('list') }),
      ...(isSelecting && { escape: () => (mode === 'people' ? switchTo('messages') : clear()) }),
    },
    { repeated: 'jk', groups: mayWrite ? LEADS_KEYS : VIEWER_KEYS },
  )
}

function RowsPerPage({ value, onChange }: { value: number; onChange: (size: number) => void }) {
  const id = useId()
  return (
    <div className="flex items-center gap-2 pt-4 text-muted max-md:hidden">
      <label htmlFor={id}>Rows</label>
      <Select
        id={id}
        className="w-auto!"
        value={String(value)}
        options={PAGE_SIZES.map((size) => ({ value: String(size), label: String(size) }))}
        onChange={(event) => onChange(Number(event.currentTarget.value))}
      />
    </div>
  )
}

/** Deletes or suppresses leads once the user has confirmed. */
function useConfirmedChanges(onDone: () => void) {
  const confirm = useConfirm()
  const remove = useRemoveLeads(onDone)
  const suppress = useSuppressLeads(onDone)
  const askToRemove = async (picked: Picked, name?: string) => {
    const count = pickedCount(picked)
    const sure = await confirm({
      title: name ? `Delete @${name}?` : `Delete ${formatCount(count, 'lead')}?`,
      body: `Are you sure you want to delete ${pluralize(count, 'this lead', 'these leads')}? This also removes ${pluralize(count, 'it', 'them')} from every list. Sent messages aren't affected.${'everyone' in picked ? ' This includes contacted and suppressed leads.' : ''} ${isSingle(picked) ? 'You can undo this for 10 seconds.' : 'You can undo this for an hour, under Jobs.'}`,
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

function NoLeads() {
  return (
    <EmptyState
      icon={<Users />}
      title="No leads yet"
      action={
        <div className="flex flex-wrap justify-center gap-2">
          <ButtonLink to={`${paths.xAutomation}?tab=scraper`} variant="primary" icon={<Search />}>
            Scrape followers
          </ButtonLink>
          <SampleOffer />
        </div>
      }
    >
      Leads are people on X you may want to message. Scrape the followers of an account your customers follow, or import
      a CSV file.
    </EmptyState>
  )
}
