import { formatNumber } from '@x-automated/contract/format'
import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import { generatePath, Link } from 'react-router'
import { paths } from '../../../paths'
import { Button } from '../../../ui/button'
import { DateTime } from '../../../ui/date-time'
import { SkeletonRows } from '../../../ui/skeleton'
import { Table, Td, Th, Tr } from '../../../ui/table'
import { waitText } from '../sending-settings/limits-text'
import type { CampaignActions } from './campaign-actions'
import { CampaignBar } from './campaign-bar'
import { CampaignButtons } from './campaign-buttons'
import { inFlightText, isDisconnected, notableWait } from './campaign-progress'
import { CampaignStatus } from './campaign-status'
import type { Connections } from './campaign-watch'
import { WaitsForOlder } from './older-campaign'

interface CampaignsTableProps {
  /** Undefined while they load. */
  campaigns: readonly Campaign[] | undefined
  stale: boolean
  connections: Connections
  /** Whether no browser is sending it. */
  noSender: (campaign: Campaign) => boolean
  actions: CampaignActions
  onViewDms: (campaign: Campaign) => void
}

export function CampaignsTable({ campaigns, stale, connections, noSender, actions, onViewDms }: CampaignsTableProps) {
  return (
    <Table label="My Campaigns" stale={stale}>
      <thead>
        <tr>
          <Th>Name</Th>
          <Th>Lead List</Th>
          <Th>Status</Th>
          <Th end>DMs Queued</Th>
          <Th end>DMs Sent</Th>
          <Th>Last Run</Th>
          <Th className="md:max-xl:hidden">Created</Th>
          <Th>Actions</Th>
        </tr>
      </thead>
      <tbody>
        {campaigns ? (
          campaigns.map((campaign) => (
            <CampaignRow
              key={campaign.id}
              campaign={campaign}
              connected={connections(campaign)}
              noSender={noSender(campaign)}
              actions={actions}
              onViewDms={onViewDms}
            />
          ))
        ) : (
          <SkeletonRows columns={8} />
        )}
      </tbody>
    </Table>
  )
}

function CampaignRow({
  campaign,
  connected,
  noSender,
  actions,
  onViewDms,
}: { campaign: Campaign; connected: boolean | undefined; noSender: boolean } & Omit<
  CampaignsTableProps,
  'campaigns' | 'stale' | 'connections' | 'noSender'
>) {
  const nameId = `campaign-${campaign.id}`
  const disconnected = isDisconnected(campaign, connected)
  const inFlight = inFlightText(campaign)
  const now = new Date()
  const wait = notableWait(campaign, disconnected, now.getTime())
  const showsBar = campaign.totalLeadsInList > 0 && (campaign.status === 'active' || campaign.status === 'paused')
  return (
    <Tr>
      <Td className="md:w-1/4 md:min-w-36">
        <span className="grid w-full gap-2">
          <Link
            id={nameId}
            to={generatePath(paths.campaign, { campaignId: campaign.id })}
            className="w-fit rounded-sm font-strong wrap-anywhere underline-offset-4 hover:underline"
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
          {noSender && <span className="text-xs text-warn">No browser is sending. Click “Start Real Send”.</span>}
          {wait && <span className="text-xs text-muted">{waitText(wait, now)}</span>}
        </span>
      </Td>
      <Td label="Lead List" className="md:min-w-20 xl:min-w-28">
        <bdi className="line-clamp-3 wrap-break-word" title={campaign.leadListName ?? undefined}>
          {campaign.leadListName ?? 'N/A'}
        </bdi>
      </Td>
      <Td label="Status">
        <CampaignStatus campaign={campaign} />
      </Td>
      <Td label="DMs Queued" end className="md:whitespace-nowrap">
        {formatNumber(campaign.dmsQueuedCount)} / {formatNumber(campaign.totalLeadsInList)}
      </Td>
      <Td label="DMs Sent" end>
        <span className="grid justify-items-end">
          {formatNumber(campaign.dmsSentCount)}
          {campaign.dmsFailedCount > 0 && (
            <span className="text-xs whitespace-nowrap text-bad">{formatNumber(campaign.dmsFailedCount)} failed</span>
          )}
        </span>
      </Td>
      <Td label="Last Run" className="text-muted md:whitespace-nowrap">
        {campaign.lastRunAt ? <DateTime value={campaign.lastRunAt} precision="day" /> : 'Never'}
      </Td>
      <Td label="Created" className="text-muted md:max-xl:hidden md:whitespace-nowrap">
        <DateTime value={campaign.createdAt} precision="day" />
      </Td>
      <Td className="md:w-px">
        <span className="flex flex-wrap items-center gap-1.5 max-md:pt-1 md:min-w-56 xl:min-w-60">
          <Button size="sm" aria-describedby={nameId} onClick={() => onViewDms(campaign)}>
            View DMs
          </Button>
          <CampaignButtons campaign={campaign} actions={actions} describedBy={nameId} />
        </span>
      </Td>
    </Tr>
  )
}
