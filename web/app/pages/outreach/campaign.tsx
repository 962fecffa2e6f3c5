import type { DmStatus } from '@x-automated/contract/leads/leads'
import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import { Pencil, SearchX } from 'lucide-react'
import { useState } from 'react'
import { generatePath, useParams } from 'react-router'
import { errorCode, errorText } from '../../api'
import { useHasRole, useIsOffered } from '../../features/identity/people/use-role'
import type { CampaignActions } from '../../features/outreach/campaigns/campaign-actions'
import { CampaignButtons } from '../../features/outreach/campaigns/campaign-buttons'
import {
  CampaignFigures,
  CampaignProgressCard,
  ProgressCardSkeleton,
} from '../../features/outreach/campaigns/campaign-figures'
import { CampaignMore } from '../../features/outreach/campaigns/campaign-more'
import { isDisconnected } from '../../features/outreach/campaigns/campaign-progress'
import { CampaignStatus } from '../../features/outreach/campaigns/campaign-status'
import { campaignsProblem } from '../../features/outreach/campaigns/campaign-text'
import { type useCampaign, useRestOfCampaign } from '../../features/outreach/campaigns/campaign-watch'
import { DmsTable } from '../../features/outreach/campaigns/dms-table'
import { WaitsForOlder } from '../../features/outreach/campaigns/older-campaign'
import { launchText } from '../../features/outreach/campaigns/preflight-text'
import { useCampaignPage } from '../../features/outreach/campaigns/use-campaign-page'
import { RunNotice } from '../../features/outreach/real-send/run-notice'
import { ReplyDetectionNotice } from '../../features/outreach/replies/reply-detection'
import { WaitCallout } from '../../features/outreach/sending-settings/wait-callout'
import { CampaignResults } from '../../features/outreach/sequences/campaign-results'
import { MessagesCard } from '../../features/outreach/sequences/messages-card'
import { ShareReportDialog } from '../../features/overview/reports/share-report-dialog'
import SampleBar from '../../features/overview/sample-data/sample-bar'
import { pageMeta } from '../../features/overview/shell/page-meta'
import { useAccounts } from '../../features/platform/x-account/use-accounts'
import { paths } from '../../paths'
import { QueryError } from '../../query-error'
import { BackLink } from '../../ui/back-link'
import { ButtonLink } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { Card } from '../../ui/card'
import { cn } from '../../ui/cn'
import { DateTime } from '../../ui/date-time'
import { EmptyState } from '../../ui/empty-state'
import { PageHeader } from '../../ui/page-header'
import { Select } from '../../ui/select'
import { LoadingText, Skeleton, SkeletonButton, SkeletonText } from '../../ui/skeleton'
import { useTabParam } from '../../ui/tabs'
import { useDialogs } from '../../ui/use-dialogs'
import { useFocusFallback } from '../../ui/use-focus-fallback'

export const meta = () => pageMeta('Campaign', "A campaign's progress, message by message.")

const filters = [
  { value: 'all', label: 'All statuses' },
  { value: 'queued', label: 'Queued' },
  { value: 'sent', label: 'Sent' },
  { value: 'delivered', label: 'Delivered' },
  { value: 'replied', label: 'Replied' },
  { value: 'failed', label: 'Failed' },
] as const satisfies readonly { value: 'all' | DmStatus; label: string }[]

/** A campaign's status, progress and messages. */
export default function CampaignPage() {
  const { campaignId = '' } = useParams()
  const { query, campaign, actions, connected, disconnected, noSender, secondsLeft } = useCampaignPage(campaignId)

  if (query.isError && !query.data) return <CampaignFailure query={query} />
  return (
    <div className="grid grid-cols-1 gap-6">
      <CampaignHeader campaign={campaign} actions={actions} />
      {campaign ? (
        <>
          {campaign.isSample && <SampleBar leaveTo={paths.campaigns} />}
          <ReplyDetectionNotice />
          {query.isError && <Callout tone="warn">{campaignsProblem(query.error, true)}</Callout>}
          <CampaignNotices campaign={campaign} connected={connected} noSender={noSender} />
          <CampaignProgressCard
            campaign={campaign}
            disconnected={disconnected}
            noSender={noSender}
            secondsLeft={secondsLeft}
          />
          <CampaignFigures campaign={campaign} />
          {campaign.totalLeadsInList > 0 && <CampaignResults campaign={campaign} actions={actions} />}
          <MessagesCard campaign={campaign} />
        </>
      ) : (
        <CampaignSkeleton />
      )}
      <DmLog
        key={campaignId}
        campaignId={campaignId}
        isVisible={campaign !== undefined}
        live={campaign?.status === 'active'}
        canRetry={campaign !== undefined && campaign.status !== 'archived'}
      />
    </div>
  )
}

/** Shown if the campaign can't be loaded. */
function CampaignFailure({ query }: { query: ReturnType<typeof useCampaign> }) {
  return (
    <>
      <PageHeader title="Campaign" />
      {errorCode(query.error) === 'CAMPAIGN_NOT_FOUND' ? (
        <EmptyState
          icon={<SearchX />}
          title={errorText(query.error, 'Campaign not found or access denied')}
          action={<ButtonLink to={paths.campaigns}>Back to campaigns</ButtonLink>}
        >
          It may belong to another workspace, or the link may have a typo.
        </EmptyState>
      ) : (
        <QueryError query={query}>{campaignsProblem(query.error, false)}</QueryError>
      )}
    </>
  )
}

interface CampaignHeaderProps {
  /** Undefined while loading. */
  campaign: Campaign | undefined
  actions: CampaignActions
}

function CampaignHeader({ campaign, actions }: CampaignHeaderProps) {
  // Pausing replaces the focused Pause button with Resume.
  const focusFallback = useFocusFallback<HTMLDivElement>()
  const isAdmin = useHasRole('admin')
  const reports = useDialogs<{ id: string; name: string }>()
  return (
    <header className="grid gap-3">
      <BackLink to={paths.campaigns}>Campaigns</BackLink>
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-4">
        {campaign ? (
          <div className="grid min-w-0 gap-2">
            <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
              <h1 className="text-2xl wrap-anywhere">
                <bdi>{campaign.name}</bdi>
              </h1>
              <CampaignStatus campaign={campaign} />
            </div>
            <p className="text-muted">
              <SentFrom campaign={campaign} />
              Created <DateTime value={campaign.createdAt} precision="day" />
              {' · '}
              {campaign.lastRunAt ? (
                <>
                  last run <DateTime value={campaign.lastRunAt} />
                </>
              ) : (
                'never run'
              )}
            </p>
          </div>
        ) : (
          <div className="grid gap-2">
            <LoadingText>Loading campaign…</LoadingText>
            <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
              <Skeleton className="h-8 w-64" />
              <Skeleton className="h-6 w-24" />
            </div>
            <Skeleton className="h-5 w-48" />
          </div>
        )}
        {campaign ? (
          <div className="grid gap-1.5 sm:justify-items-end">
            <div {...focusFallback} className="flex flex-wrap gap-2">
              <EditMessages campaign={campaign} />
              <CampaignButtons campaign={campaign} actions={actions} size="md" />
              <CampaignMore
                campaign={campaign}
                actions={actions}
                onShareReport={isAdmin ? () => reports.show({ id: campaign.id, name: campaign.name }) : undefined}
              />
            </div>
            <LaunchNote campaign={campaign} />
          </div>
        ) : (
          <SkeletonButton className="w-72" />
        )}
      </div>
      {reports.render((shared, props) => (
        <ShareReportDialog campaign={shared} {...props} />
      ))}
    </header>
  )
}

/** Says which account sends a campaign's messages. Empty for drafts without an X account. */
function SentFrom({ campaign: { channel, xAccountId } }: { campaign: Campaign }) {
  const account = useAccounts().data?.accounts.find(({ id }) => id === xAccountId)
  const parts = [account && `@${account.handle}`, channel === 'extension' && 'your browser'].filter(Boolean)
  return parts.length > 0 ? <>From {parts.join(' in ')} · </> : null
}

function EditMessages({ campaign: { id, status } }: { campaign: Campaign }) {
  const mayChange = useIsOffered('member')
  if (!mayChange || status === 'completed' || status === 'archived') return null
  return (
    <ButtonLink variant="ghost" icon={<Pencil />} to={generatePath(paths.editCampaign, { campaignId: id })}>
      Edit messages
    </ButtonLink>
  )
}

interface CampaignNoticesProps {
  campaign: Campaign
  /** Whether the campaign's X account is connected; undefined if unknown. */
  connected: boolean | undefined
  noSender: boolean
}

/** Why nothing is being sent, and what to do about it. */
function CampaignNotices({ campaign, connected, noSender }: CampaignNoticesProps) {
  const disconnected = isDisconnected(campaign, connected)
  const connect = connected === false && campaign.channel === 'api' && (
    <ButtonLink size="sm" to={paths.xAutomation}>
      Connect X
    </ButtonLink>
  )
  return (
    <>
      {campaign.status === 'paused' && campaign.pauseReason && (
        <Callout tone="warn" title="Campaign paused automatically" action={connect}>
          {campaign.pauseReason}
        </Callout>
      )}
      {disconnected && (
        <Callout tone="warn" title="X account disconnected" action={connect}>
          Nothing is sent until it is connected again. Queued messages are kept.
        </Callout>
      )}
      <WaitCallout campaign={campaign} disconnected={disconnected} />
      <RunNotice campaigns={noSender ? undefined : [campaign]} />
      {noSender && (
        <Callout
          tone="warn"
          title="No browser is sending this campaign"
          action={
            <ButtonLink size="sm" to={paths.extension}>
              Browser extension
            </ButtonLink>
          }
        >
          Click “Start Real Send”, or let the extension send in the background. Queued messages are kept.
        </Callout>
      )}
      {campaign.status === 'active' && campaign.waiting && !disconnected && (
        <Callout>
          <WaitsForOlder waitsBehind={campaign.waitsBehind} />
        </Callout>
      )}
    </>
  )
}

/**
 * Reserves the space above the message log. Must be a separate tree: if React reused its elements
 * and moved them below the notices, that would count as a layout shift.
 */
function CampaignSkeleton() {
  return (
    <>
      <ProgressCardSkeleton />
      <CampaignFigures campaign={undefined} />
      <Skeleton className="h-56" />
      <Card title="Messages">
        <SkeletonText lines={3} />
      </Card>
    </>
  )
}

interface DmLogProps {
  campaignId: string
  /** False while anything above the log is loading, because the log would shift when it appears. */
  isVisible: boolean
  live: boolean
  canRetry: boolean
}

function DmLog({ campaignId, isVisible, live, canRetry }: DmLogProps) {
  const [filter, setFilter] = useTabParam(
    filters.map(({ value }) => value) as unknown as readonly ['all', ...DmStatus[]],
    'status',
  )
  const [page, setPage] = useState(1)
  return (
    <section className={cn('grid gap-4 pt-2', !isVisible && 'invisible')}>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h2 className="text-lg">DMs</h2>
        <Select
          aria-label="Status"
          className="w-44"
          options={filters}
          value={filter}
          onChange={(event) => {
            setFilter(event.currentTarget.value)
            setPage(1)
          }}
        />
      </div>
      <div>
        <DmsTable
          campaignId={campaignId}
          status={filter === 'all' ? null : filter}
          live={live}
          canRetry={canRetry}
          page={page}
          onPage={setPage}
        />
      </div>
    </section>
  )
}

/** Says how many people a launch messages now, and how many later. Empty if everyone is messaged now. */
function LaunchNote({ campaign }: { campaign: Campaign }) {
  const mayChange = useIsOffered('member')
  const { data } = useRestOfCampaign(campaign)
  const isSaved = (campaign.status === 'draft' || campaign.status === 'paused') && campaign.totalLeadsInList === 0
  const text = isSaved && mayChange && data ? launchText(data) : null
  return (
    text && (
      <p className="text-muted" data-numeric>
        {text}
      </p>
    )
  )
}
