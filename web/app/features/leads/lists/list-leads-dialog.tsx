import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { formatNumber } from '@x-automated/contract/format'
import type { Lead, ListedLead } from '@x-automated/contract/leads/leads'
import type { List, ListLead } from '@x-automated/contract/leads/lists'
import { Search, Users } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { generatePath } from 'react-router'
import { api, errorText, refusalText } from '../../../api'
import { type Column, PagedTable } from '../../../paged-table'
import { paths } from '../../../paths'
import { StatusBadge } from '../../../ui/badge'
import { Button, ButtonLink } from '../../../ui/button'
import { Dialog } from '../../../ui/dialog'
import { EmptyState } from '../../../ui/empty-state'
import { Select } from '../../../ui/select'
import type { ControlledDialogProps } from '../../../ui/use-dialogs'
import { useIsOffered } from '../../identity/people/use-role'
import { XHandle } from '../../platform/x-account/x-handle'
import { LeadFollowers, LeadIdentity } from '../leads/lead-parts'
import { displayStatusOf, type LeadFilterStatus } from '../leads/lead-status'
import { statusLabels } from '../leads/leads-url'

const PAGE_SIZE = 25

const followers: Column<Lead> = {
  name: 'Followers',
  end: true,
  cell: ({ followerCount }) => <LeadFollowers followerCount={followerCount} />,
}
export const leadColumns: Column<Lead>[] = [
  { name: 'Lead', bare: true, cell: (lead) => <LeadIdentity lead={lead} /> },
  followers,
]
const cardColumns: Column<Lead>[] = [
  { name: 'Twitter Handle', bare: true, cell: (lead) => <XHandle handle={lead.twitterHandle} /> },
  {
    name: 'Name',
    cell: (lead) => <bdi className="wrap-anywhere">{lead.name || <span className="text-faint">N/A</span>}</bdi>,
  },
  followers,
]
/** The lead's status in this list: Replied, Sent or Not Sent. */
const statusInList: Column<ListLead> = {
  name: 'Status',
  cell: ({ replied, contactStatus }) => {
    if (replied) return <StatusBadge status="replied" />
    if (contactStatus === 'contacted') return <StatusBadge status="sent" />
    return <StatusBadge status="not_sent">Not Sent</StatusBadge>
  },
}

/** The lead's status, as on the Leads page. */
export const displayStatus: Column<ListedLead> = {
  name: 'Status',
  cell: (lead) => <StatusBadge status={displayStatusOf(lead)} />,
}

const STATUS_OPTIONS = [
  { value: '', label: 'All statuses' },
  ...Object.entries(statusLabels).map(([value, label]) => ({ value, label })),
]

interface ListLeadsDialogProps extends ControlledDialogProps {
  list: List
  /** True for a card of the Lead Lists tab, where lists are called “campaigns”. */
  isCard?: boolean
  /** Opens the selection of leads, or the filter of a smart list. */
  onManage: () => void
}

/** The leads of a list with their status. */
export function ListLeadsDialog({ list, isCard = false, onManage, ...dialog }: ListLeadsDialogProps) {
  const mayWrite = useIsOffered('member')
  const manage = mayWrite && <Button onClick={onManage}>{list.filter ? 'Edit filter' : 'Manage Leads'}</Button>
  return (
    <Dialog
      {...dialog}
      size="wide"
      title={isCard ? list.name : `Leads in ${list.name}`}
      description={list.description}
      footer={
        <>
          <ButtonLink to={generatePath(paths.list, { listId: list.id })} variant="ghost" className="me-auto">
            Open list
          </ButtonLink>
          <Button onClick={dialog.onClose}>Close</Button>
          {isCard && mayWrite && (
            <Button variant="primary" onClick={onManage}>
              {list.filter ? 'Edit filter' : 'Add Leads'}
            </Button>
          )}
        </>
      }
    >
      {isCard ? <CardPeople list={list} /> : <People list={list} manage={manage} />}
    </Dialog>
  )
}

/** The people of a card, with their status in its list. */
function CardPeople({ list }: { list: List }) {
  const [page, setPage] = useState(1)
  const leads = useQuery(
    api.lists.leads.queryOptions({
      input: { id: list.id, page, pageSize: PAGE_SIZE },
      placeholderData: keepPreviousData,
    }),
  )
  return (
    <PagedTable<ListLead>
      {...tableOf(list)}
      query={leads}
      rows={leads.data?.leads}
      columns={[...cardColumns, statusInList]}
      failure={(error) => refusalText(error, 'Failed to load campaign leads. Please try again.')}
      page={page}
      onChange={setPage}
      above={
        <div className="pb-2">
          <ContactCounts list={list} />
        </div>
      }
      empty={<EmptyState icon={<Users />} title="No leads in this campaign yet. Add leads from your dashboard." />}
    />
  )
}

/** A list's people with their status, as the Leads page shows and filters it. */
function People({ list, manage }: { list: List; manage: ReactNode }) {
  const [page, setPage] = useState(1)
  const [status, setStatus] = useState('')
  const leads = useQuery(
    api.leads.list.queryOptions({
      input: {
        listId: list.id,
        status: (status || undefined) as LeadFilterStatus | undefined,
        page,
        pageSize: PAGE_SIZE,
      },
      placeholderData: keepPreviousData,
    }),
  )
  return (
    <PagedTable<ListedLead>
      {...tableOf(list)}
      query={leads}
      rows={leads.data?.leads}
      columns={[...leadColumns, displayStatus]}
      failure={(error) => `Failed to fetch leads for list: ${errorText(error)}`}
      page={page}
      onChange={setPage}
      above={
        <div className="flex flex-wrap items-center justify-between gap-2 pb-2">
          <ContactCounts list={list} />
          <Select
            aria-label="Status"
            className="w-40"
            value={status}
            options={STATUS_OPTIONS}
            onChange={(event) => {
              setStatus(event.currentTarget.value)
              setPage(1)
            }}
          />
        </div>
      }
      empty={
        status ? (
          <EmptyState icon={<Search />} title="No leads with this status" />
        ) : (
          <NobodyYet isSmart={list.filter !== null} action={manage} />
        )
      }
    />
  )
}

const tableOf = (list: List) => ({
  label: `Leads in ${list.name}`,
  dense: true,
  loading: 'Loading leads…',
  pageSize: PAGE_SIZE,
  noun: 'leads',
  maxHeight: DIALOG_TABLE_HEIGHT,
  skeletonRows: Math.max(1, Math.min(list.leadCount, 5)),
})

/** Shown instead of the people of an empty list. */
export function NobodyYet({ isSmart, action }: { isSmart: boolean; action: ReactNode }) {
  return isSmart ? (
    <EmptyState icon={<Users />} title="No matches yet" action={action}>
      New matches are added automatically.
    </EmptyState>
  ) : (
    <EmptyState icon={<Users />} title="No leads in this list yet" action={action}>
      Add leads that you've scraped or imported.
    </EmptyState>
  )
}

export const DIALOG_TABLE_HEIGHT = 'min(24rem, 45dvh)'

/** How many leads of a list its campaigns have messaged, and how many are left. */
export function ContactCounts({ list: { leadCount, contactedCount } }: { list: List }) {
  return (
    <span className="text-muted" data-numeric>
      {formatNumber(contactedCount)} contacted · {formatNumber(Math.max(0, leadCount - contactedCount))} pending
    </span>
  )
}
