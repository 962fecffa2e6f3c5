import { formatNumber } from '@x-automated/contract/format'
import type { Campaign, CampaignStatus as Status } from '@x-automated/contract/outreach/campaigns'
import { ArrowUp, ChevronsUpDown, MessagesSquare } from 'lucide-react'
import { generatePath, Link } from 'react-router'
import type { Column } from '../../../paged-table'
import { paths } from '../../../paths'
import { Button } from '../../../ui/button'
import { DateTime } from '../../../ui/date-time'
import { Sparkline } from '../../../ui/sparkline'
import { waitText } from '../sending-settings/limits-text'
import type { CampaignActions } from './campaign-actions'
import { CampaignBar } from './campaign-bar'
import { CampaignButtons } from './campaign-buttons'
import { inFlightText, isDisconnected, notableWait, progressOf, shareText } from './campaign-progress'
import { CampaignStatus } from './campaign-status'
import type { Connections } from './campaign-watch'
import { WaitsForOlder } from './older-campaign'

interface CampaignState {
  connections: Connections
  /** Whether no browser is sending the campaign. */
  noSender: (campaign: Campaign) => boolean
}

const nameId = ({ id }: Campaign) => `campaign-${id}`

/** The columns of the table of campaigns. */
export const campaignColumns = (
  state: CampaignState & { actions: CampaignActions; onViewDms: (campaign: Campaign) => void },
  /** Sorts the rows by status. Undefined if the table has several pages. */
  sort?: { isOn: boolean; toggle: () => void },
): Column<Campaign>[] => [
  {
    name: 'Name',
    bare: true,
    className: 'xl:w-1/4 xl:min-w-36',
    cell: (campaign) => <CampaignName campaign={campaign} {...state} />,
  },
  {
    name: 'Lead List',
    className: 'md:max-xl:row-start-2 md:px-2 xl:min-w-28',
    cell: ({ leadListName }) => (
      <bdi className="line-clamp-3 wrap-anywhere" title={leadListName ?? undefined}>
        {leadListName ?? 'N/A'}
      </bdi>
    ),
  },
  {
    name: sort ? (
      <button
        type="button"
        onClick={sort.toggle}
        className="-mx-1.5 inline-flex items-center gap-1 rounded-sm px-1.5 py-1 hover:bg-hover hover:text-ink"
      >
        Status
        {sort.isOn ? (
          <ArrowUp aria-hidden className="size-3.5" />
        ) : (
          <ChevronsUpDown aria-hidden className="size-3.5 text-faint" />
        )}
      </button>
    ) : (
      'Status'
    ),
    label: 'Status',
    ...(sort ? { sorted: sort.isOn ? ('ascending' as const) : ('none' as const) } : {}),
    className: 'md:px-2',
    cell: (campaign) => <CampaignStatus campaign={campaign} />,
  },
  {
    name: 'DMs Queued',
    end: true,
    className: 'md:px-2 xl:whitespace-nowrap',
    cell: ({ dmsQueuedCount, totalLeadsInList }) => (
      <>
        {formatNumber(dmsQueuedCount)} / {formatNumber(totalLeadsInList)}
      </>
    ),
  },
  {
    name: 'DMs Sent',
    end: true,
    className: 'md:px-2',
    cell(campaign) {
      const { sent, failed, skipped } = progressOf(campaign)
      return (
        <span className="grid justify-items-end text-xs whitespace-nowrap">
          <span className="text-ui">{formatNumber(sent)}</span>
          {failed > 0 && <span className="text-bad">{formatNumber(failed)} failed</span>}
          {skipped > 0 && <span className="text-muted">{formatNumber(skipped)} skipped</span>}
        </span>
      )
    },
  },
  {
    name: 'Replies',
    end: true,
    className: 'md:px-2',
    cell: ({ peopleReplied, peoplePositive, peopleMessaged }) => (
      <span className="grid justify-items-end">
        {formatNumber(peopleReplied)}
        {peopleMessaged > 0 && (
          <span className="text-xs whitespace-nowrap text-muted">
            {shareText(peoplePositive, peopleMessaged)} positive
          </span>
        )}
      </span>
    ),
  },
  {
    name: '14 days',
    className: 'md:px-2 md:max-xl:hidden',
    cell: ({ sentByDay }) => <Sparkline counts={sentByDay} noun="message" />,
  },
  {
    name: 'Last Run',
    className: 'text-muted md:max-xl:row-start-2 md:px-2 xl:whitespace-nowrap',
    cell: ({ lastRunAt }) => (lastRunAt ? <DateTime value={lastRunAt} precision="day" /> : 'Never'),
  },
  {
    name: 'Created',
    className: 'text-muted md:max-xl:row-start-2 md:px-2 xl:whitespace-nowrap',
    cell: ({ createdAt }) => <DateTime value={createdAt} precision="day" />,
  },
  {
    name: 'Actions',
    end: true,
    bare: true,
    className: 'md:max-xl:col-span-2 md:max-xl:row-start-2 md:max-xl:ps-2 xl:w-px',
    cell: (campaign) => (
      <span className="flex flex-wrap items-center gap-0.5 max-md:pt-1 md:justify-end xl:grid xl:grid-flow-col">
        <Button
          size="sm"
          variant="ghost"
          icon={<MessagesSquare />}
          title="View DMs"
          aria-describedby={nameId(campaign)}
          onClick={() => state.onViewDms(campaign)}
        >
          <span className="md:sr-only">View DMs</span>
        </Button>
        <CampaignButtons campaign={campaign} actions={state.actions} describedBy={nameId(campaign)} />
      </span>
    ),
  },
]

/** A campaign's name and progress, and why it isn't sending. */
function CampaignName({ campaign, connections, noSender }: CampaignState & { campaign: Campaign }) {
  const disconnected = isDisconnected(campaign, connections(campaign))
  const inFlight = inFlightText(campaign)
  const now = new Date()
  const wait = notableWait(campaign, disconnected, now.getTime())
  const showsBar = campaign.totalLeadsInList > 0 && (campaign.status === 'active' || campaign.status === 'paused')
  return (
    <span className="grid w-full gap-2">
      <Link
        id={nameId(campaign)}
        to={generatePath(paths.campaign, { campaignId: campaign.id })}
        title={campaign.name}
        className="line-clamp-3 w-fit rounded-sm font-strong wrap-anywhere underline-offset-4 hover:underline"
      >
        <bdi>{campaign.name}</bdi>
      </Link>
      {showsBar && <CampaignBar campaign={campaign} />}
      {campaign.status === 'paused' && campaign.pauseReason && (
        <span className="text-xs text-warn">{campaign.pauseReason}</span>
      )}
      {inFlight && <span className="text-xs text-muted">{inFlight}.</span>}
      {disconnected && <span className="text-xs text-warn">Paused: X account disconnected</span>}
      {campaign.status === 'active' && campaign.waiting && !disconnected && (
        <span className="text-xs text-muted">
          <WaitsForOlder waitsBehind={campaign.waitsBehind} />
        </span>
      )}
      {noSender(campaign) && <span className="text-xs text-warn">No browser is sending. Click “Start Real Send”.</span>}
      {wait && <span className="text-xs text-muted">{waitText(wait, now)}</span>}
    </span>
  )
}

const STATUS_ORDER: readonly Status[] = ['active', 'paused', 'draft', 'completed', 'archived']

/** Sorts campaigns by status: active ones first, archived ones last. Keeps the order within a status. */
export function sortedByStatus(campaigns: readonly Campaign[]): Campaign[] {
  return campaigns.toSorted((a, b) => STATUS_ORDER.indexOf(a.status) - STATUS_ORDER.indexOf(b.status))
}
