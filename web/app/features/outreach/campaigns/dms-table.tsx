import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { DmStatus } from '@x-automated/contract/leads/leads'
import type { Dm } from '@x-automated/contract/outreach/sending'
import { MessagesSquare } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../api'
import { QueryError } from '../../../query-error'
import { StatusBadge } from '../../../ui/badge'
import { Callout } from '../../../ui/callout'
import { cn } from '../../../ui/cn'
import { DateTime } from '../../../ui/date-time'
import { EmptyState } from '../../../ui/empty-state'
import { Pager } from '../../../ui/pager'
import { shorten } from '../../../ui/shorten'
import { LoadingText, SkeletonRows } from '../../../ui/skeleton'
import { Table, Td, Th, Tr } from '../../../ui/table'
import { RequeueButton } from '../../leads/leads/requeue-button'
import { XHandle } from '../../platform/x-account/x-handle'
import { dmsProblem, staleDmsProblem } from './campaign-text'
import { pagePollInterval } from './campaign-watch'
import { usePageCursors } from './page-cursors'

const PAGE_SIZE = 25
const MESSAGE_PREVIEW = 100

interface DmsTableProps {
  campaignId: string
  /** Null shows all. */
  status: DmStatus | null
  /** The campaign is sending, so the rows are polled. */
  live: boolean
  page: number
  onPage: (page: number) => void
  maxHeight?: string
  /** Failed messages can be retried. */
  canRetry: boolean
}

/** A campaign's messages with their status. */
export function DmsTable({ campaignId, status, live, page, onPage, maxHeight, canRetry }: DmsTableProps) {
  const { cursorOf, keep } = usePageCursors(`${campaignId} ${status}`)
  const cursor = cursorOf(page)
  const dms = useQuery(
    api.campaigns.dms.queryOptions({
      input: {
        id: campaignId,
        page,
        pageSize: PAGE_SIZE,
        ...(status ? { status } : {}),
        ...(cursor ? { cursor } : {}),
      },
      placeholderData: keepPreviousData,
      staleTime: 0,
      refetchInterval: pagePollInterval(live, page, cursor),
    }),
  )
  const goTo = (next: number) => {
    if (!dms.isPlaceholderData) keep(page + 1, dms.data?.cursor)
    onPage(next)
  }
  if (dms.isError && !dms.data)
    return (
      <QueryError query={dms} title="Failed to fetch DMs for campaign.">
        {dmsProblem(dms.error)}
      </QueryError>
    )
  if (dms.data?.total === 0 && !dms.isPlaceholderData)
    return (
      <EmptyState
        icon={<MessagesSquare aria-hidden />}
        title={
          status ? 'No DMs with this status.' : "No DMs found for this campaign, or they haven't been processed yet."
        }
      >
        {status ? null : 'Launching the campaign queues one message for each lead on the list.'}
      </EmptyState>
    )
  return (
    <>
      {dms.isPending && <LoadingText>Loading DMs…</LoadingText>}
      {dms.isError && (
        <div className="pb-3">
          <Callout tone="warn">{staleDmsProblem(dms.error)}</Callout>
        </div>
      )}
      <Table label="DMs" stale={dms.isPlaceholderData} {...(maxHeight ? { maxHeight } : {})}>
        <thead>
          <tr>
            <Th>Lead Name</Th>
            <Th>Twitter</Th>
            <Th>Message</Th>
            <Th>Status</Th>
            <Th>Timestamp</Th>
            <Th>Details/Error</Th>
          </tr>
        </thead>
        <tbody>
          {dms.data ? (
            dms.data.dms.map((dm) => <DmRow key={dm.id} dm={dm} canRetry={canRetry} />)
          ) : (
            <SkeletonRows columns={6} />
          )}
        </tbody>
      </Table>
      <Pager page={page} pageSize={PAGE_SIZE} query={dms} onChange={goTo} noun="DMs" />
    </>
  )
}

function DmRow({ dm, canRetry }: { dm: Dm; canRetry: boolean }) {
  const at = dm.status === 'sent' ? dm.sentAt : dm.updatedAt
  const problem = dm.status === 'failed' ? dm.errorMessage : null
  return (
    <Tr>
      <Td className="md:max-w-48">
        <bdi className="font-strong wrap-anywhere max-md:me-28">{dm.lead?.name || 'N/A'}</bdi>
      </Td>
      <Td>{dm.lead?.twitterHandle ? <XHandle handle={dm.lead.twitterHandle} /> : 'N/A'}</Td>
      <Td className="md:min-w-56">
        <Message text={dm.message} />
      </Td>
      <Td corner>
        <StatusBadge status={dm.status} />
      </Td>
      <Td label="Timestamp" className="text-muted md:whitespace-nowrap">
        {at ? <DateTime value={at} /> : 'N/A'}
      </Td>
      {/* Hidden on cards unless there is an error. */}
      <Td label="Details/Error" className={cn('text-muted md:min-w-36', dm.status !== 'failed' && 'max-md:hidden!')}>
        <span className="grid justify-items-start gap-2 max-md:justify-items-end">
          {problem || '-'}
          {dm.status === 'failed' && dm.lead && canRetry && <RequeueButton dm={dm} />}
        </span>
      </Td>
    </Tr>
  )
}

/**
 * The start of a message. The rest shows in the tooltip or on click, as touch screens have no
 * tooltips.
 */
function Message({ text }: { text: string }) {
  const [expanded, setExpanded] = useState(false)
  const short = shorten(text, MESSAGE_PREVIEW)
  if (short === text) return <bdi className="whitespace-pre-line wrap-anywhere">{text}</bdi>
  return (
    <button
      type="button"
      title={text}
      aria-expanded={expanded}
      onClick={() => setExpanded(!expanded)}
      className="rounded-sm text-start wrap-anywhere hover:text-ink"
    >
      <bdi className={expanded ? 'whitespace-pre-line' : undefined}>{expanded ? text : short}</bdi>
    </button>
  )
}
