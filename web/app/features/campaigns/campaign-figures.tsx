import type { Campaign } from '@x-automated/contract/campaigns'
import { formatNumber } from '@x-automated/contract/format'
import { Check, CircleAlert, Clock, Users } from 'lucide-react'
import { Card } from '../../ui/card'
import { Skeleton, SkeletonLine } from '../../ui/skeleton'
import { StatCard } from '../../ui/stat-card'
import { CampaignBar } from './campaign-bar'
import { activityText, notableWait, progressOf, shareText, timeLeftText } from './campaign-progress'

/** Keeps the line where there is nothing to say yet. */
const NO_WORDS = '\u00a0'

interface CampaignProgressCardProps {
  campaign: Campaign
  /** Nothing can be sent, as no X account is connected. */
  disconnected: boolean
  /** No browser sends it (real-send/no-sender.ts). */
  noSender: boolean
  /** Null: nobody can tell; undefined while it is not known. */
  secondsLeft: number | null | undefined
}

/** What is happening, how far it is, how long it will still take. */
export function CampaignProgressCard({ campaign, disconnected, noSender, secondsLeft }: CampaignProgressCardProps) {
  const { done, total } = progressOf(campaign)
  const rest = notableWait(campaign, disconnected, Date.now())
  return (
    <Card>
      <div className="grid gap-3">
        <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
          <h2 className="text-base" data-numeric>
            {activityText(campaign, disconnected, rest, noSender)}
          </h2>
          <p className="text-muted" data-numeric>
            {formatNumber(done)} of {formatNumber(total)} done
            {secondsLeft !== null && ` · ${timeLeftText(secondsLeft)}`}
          </p>
        </div>
        <CampaignBar campaign={campaign} />
      </div>
    </Card>
  )
}

/** The card's room while its campaign is coming. */
export function ProgressCardSkeleton() {
  return (
    <Card>
      <div className="grid gap-3">
        <div className="flex flex-wrap justify-between gap-x-4 gap-y-1">
          <span className="flex h-6 items-center">
            <Skeleton className="h-4 w-52" />
          </span>
          <SkeletonLine className="w-44" />
        </div>
        <Skeleton className="h-1.5" />
      </div>
    </Card>
  )
}

/** Nothing is known of its leads until they are queued. */
function isUnqueued({ status, totalLeadsInList }: Campaign): boolean {
  return (status === 'draft' || status === 'paused') && totalLeadsInList === 0
}

/** Where the leads of a campaign are, from the list to the message. */
export function CampaignFigures({ campaign }: { campaign: Campaign | undefined }) {
  const progress = campaign && progressOf(campaign)
  const share = (part: number | undefined) =>
    progress && part !== undefined && progress.total > 0 ? `${shareText(part, progress.total)} of leads` : NO_WORDS
  return (
    <dl className="grid grid-cols-2 gap-3 lg:grid-cols-4 lg:gap-4">
      <StatCard
        label="Leads"
        icon={<Users aria-hidden />}
        value={campaign && (isUnqueued(campaign) ? null : progress?.total)}
        hint={campaign ? <bdi className="block truncate">{campaign.leadListName ?? 'Deleted list'}</bdi> : NO_WORDS}
      />
      <StatCard label="Queued" icon={<Clock aria-hidden />} value={progress?.queued} hint={share(progress?.queued)} />
      <StatCard label="Sent" icon={<Check aria-hidden />} value={progress?.sent} hint={share(progress?.sent)} />
      <StatCard
        label="Failed"
        icon={<CircleAlert aria-hidden />}
        value={progress?.failed}
        hint={share(progress?.failed)}
      />
    </dl>
  )
}
