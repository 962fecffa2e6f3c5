import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { DmStatus } from '@x-automated/contract/leads/leads'
import type { Dm } from '@x-automated/contract/outreach/sending'
import { dmWaitText } from '@x-automated/contract/reason'
import { MessagesSquare } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../api'
import { usePageCursors } from '../../../page-cursors'
import { type Column, PagedTable } from '../../../paged-table'
import { StatusBadge } from '../../../ui/badge'
import { Callout } from '../../../ui/callout'
import { DateTime } from '../../../ui/date-time'
import { EmptyState } from '../../../ui/empty-state'
import { shorten } from '../../../ui/shorten'
import { Tooltip } from '../../../ui/tooltip'
import { stepText } from '../../leads/leads/history-text'
import { RequeueButton } from '../../leads/leads/requeue-button'
import { XHandle } from '../../platform/x-account/x-handle'
import { LabelName } from '../inbox/label-name'
import { dmsProblem, staleDmsProblem } from './campaign-text'
import { pagePollInterval } from './campaign-watch'
import { ReasonText } from './reason-text'

const PAGE_SIZE = 25
const MESSAGE_PREVIEW = 100

interface DmsTableProps {
  campaignId: string
  /** Null for all. */
  status: DmStatus | null
  /** The campaign is sending, so the rows poll. */
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
      input: { id: campaignId, page, pageSize: PAGE_SIZE, status: status ?? undefined, cursor },
      placeholderData: keepPreviousData,
      staleTime: 0,
      refetchInterval: pagePollInterval(live, page, cursor),
    }),
  )
  const goTo = (next: number) => {
    if (!dms.isPlaceholderData) keep(page + 1, dms.data?.cursor)
    onPage(next)
  }
  return (
    <PagedTable
      label="DMs"
      query={dms}
      rows={dms.data?.dms}
      columns={columns(canRetry)}
      loading="Loading DMs…"
      failureTitle="Failed to fetch DMs for campaign."
      failure={dmsProblem}
      page={page}
      pageSize={PAGE_SIZE}
      onChange={goTo}
      noun="DMs"
      maxHeight={maxHeight}
      above={
        dms.isError && (
          <div className="pb-3">
            <Callout tone="warn">{staleDmsProblem(dms.error)}</Callout>
          </div>
        )
      }
      empty={
        <EmptyState
          icon={<MessagesSquare />}
          title={
            status ? 'No DMs with this status.' : "No DMs found for this campaign, or they haven't been processed yet."
          }
        >
          {status ? null : 'Launching the campaign queues one message for each lead on the list.'}
        </EmptyState>
      }
    />
  )
}

const columns = (canRetry: boolean): Column<Dm>[] => [
  {
    name: 'Lead Name',
    bare: true,
    className: 'md:max-w-48',
    cell: ({ lead }) => <bdi className="font-strong wrap-anywhere max-md:me-28">{lead?.name || 'N/A'}</bdi>,
  },
  {
    name: 'Twitter',
    bare: true,
    cell: ({ lead }) => (lead?.twitterHandle ? <XHandle handle={lead.twitterHandle} /> : 'N/A'),
  },
  {
    name: 'Message',
    bare: true,
    className: 'md:min-w-56',
    cell({ message, stepNumber, variant, reply }) {
      const step = stepText(stepNumber, variant)
      return (
        <div>
          <Message text={message} />
          {step && <p className="text-xs text-muted">{step}</p>}
          {reply && <Reply {...reply} />}
        </div>
      )
    },
  },
  {
    name: 'Status',
    corner: true,
    bare: true,
    cell: ({ status, reason }) =>
      status === 'failed' ? (
        <StatusBadge status={reason ? 'skipped' : status} />
      ) : (
        <WaitingStatus status={status} why={reason && dmWaitText(reason, new Date())} />
      ),
  },
  {
    name: 'Timestamp',
    className: 'text-muted md:whitespace-nowrap',
    cell: ({ status, sentAt, updatedAt }) => {
      const at = status === 'sent' ? sentAt : updatedAt
      return at ? <DateTime value={at} /> : 'N/A'
    },
  },
  {
    name: 'Details/Error',
    // On narrow screens, where rows are cards, this field is hidden if it is empty.
    className: 'text-muted md:min-w-36 max-md:not-has-data-detail:hidden!',
    cell(dm) {
      const failed = dm.status === 'failed'
      return (
        <span data-detail={failed ? '' : undefined} className="grid justify-items-start gap-2 max-md:justify-items-end">
          {failed && dm.errorMessage ? <ReasonText text={dm.errorMessage} params={dm.reason?.params} /> : '-'}
          {failed && dm.lead && canRetry && <RequeueButton dm={dm} />}
        </span>
      )
    },
  },
]

/** A status. Its tooltip (or a click) says why the message waits. */
export function WaitingStatus({ status, why }: { status: DmStatus; why: string | null }) {
  const [isShown, setShown] = useState(false)
  if (why === null) return <StatusBadge status={status} />
  return (
    <span className="grid justify-items-start gap-1 max-md:justify-items-end">
      <Tooltip text={why}>
        <button
          type="button"
          aria-expanded={isShown}
          onClick={() => setShown(!isShown)}
          className="rounded-sm underline decoration-dotted underline-offset-4"
        >
          <StatusBadge status={status} />
          <span className="sr-only">: {why}</span>
        </button>
      </Tooltip>
      {isShown && (
        <span aria-hidden className="text-xs text-muted">
          {why}
        </span>
      )}
    </span>
  )
}

/** A person's reply with its label. Viewers only see the label. */
function Reply({ text, label }: NonNullable<Dm['reply']>) {
  return (
    <div className="mt-1 border-s-2 border-line ps-2 text-muted">
      <span className="sr-only">Reply: </span>
      {text && <Message text={text} />}
      {label && (
        <p className="text-xs">
          <LabelName label={label} />
        </p>
      )}
    </div>
  )
}

/** The beginning of a message. Hovering or clicking shows the rest, because touch screens have no tooltips. */
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
