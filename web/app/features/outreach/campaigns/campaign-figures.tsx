import { formatCount, formatNumber } from '@x-automated/contract/format'
import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import { Check, Reply, ThumbsUp, Users } from 'lucide-react'
import { Card } from '../../../ui/card'
import { Skeleton, SkeletonLine } from '../../../ui/skeleton'
import { StatCard } from '../../../ui/stat-card'
import { CampaignBar } from './campaign-bar'
import {
  activityText,
  finishedPeople,
  notableWait,
  progressOf,
  shareText,
  timeLeftText,
  waitingForPlan,
} from './campaign-progress'
import { RehearsalStrip } from './rehearsal-strip'

/** Reserves the line's height. */
const BLANK = '\u00a0'

interface CampaignProgressCardProps {
  campaign: Campaign
  /** The campaign's X account is not connected, so nothing can be sent. */
  disconnected: boolean
  /** No browser is sending the campaign. */
  noSender: boolean
  /** The estimated seconds left. Null if there is no estimate, undefined while loading. */
  secondsLeft: number | null | undefined
}

/** What the campaign is doing, its progress and time left. */
export function CampaignProgressCard({ campaign, disconnected, noSender, secondsLeft }: CampaignProgressCardProps) {
  const { done, total, skipped } = progressOf(campaign)
  const finished = finishedPeople(campaign)
  const wait = notableWait(campaign, disconnected, Date.now())
  return (
    <Card>
      <div className="grid gap-3">
        <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
          <h2 className="text-base" data-numeric>
            {activityText(campaign, disconnected, wait, noSender)}
          </h2>
          <p className="text-muted" data-numeric>
            {total === 0
              ? 'Not started'
              : finished === null
                ? `${formatNumber(done)} of ${formatNumber(total)} processed`
                : `${formatNumber(finished.finished)} of ${formatCount(finished.people, 'person', 'people')} finished`}
            {skipped > 0 && ` · ${formatNumber(skipped)} skipped`}
            {secondsLeft !== null && waitingForPlan(campaign) === 0 && ` · ${timeLeftText(secondsLeft)}`}
          </p>
        </div>
        <CampaignBar campaign={campaign} finished={finished} />
        <RehearsalStrip campaign={campaign} />
      </div>
    </Card>
  )
}

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
        <SkeletonLine className="w-52" />
      </div>
    </Card>
  )
}

/** Whether the number of leads is unknown because they have not been queued yet. */
function isUnqueued({ status, totalLeadsInList }: Campaign): boolean {
  return (status === 'draft' || status === 'paused') && totalLeadsInList === 0
}

/** How many people a campaign has messaged, and how many of them replied. */
export function CampaignFigures({ campaign }: { campaign: Campaign | undefined }) {
  const total = campaign?.totalLeadsInList
  const share = (part: number | undefined, whole: number | undefined, of: string) =>
    part !== undefined && whole ? `${shareText(part, whole)} ${of}` : BLANK
  const { peopleMessaged, peopleReplied, peoplePositive } = campaign ?? {}
  return (
    <dl className="grid grid-cols-2 gap-3 lg:grid-cols-4 lg:gap-4">
      <StatCard
        label="Leads"
        icon={<Users />}
        value={campaign && (isUnqueued(campaign) ? null : total)}
        hint={campaign ? <bdi className="block truncate">{campaign.leadListName ?? 'Deleted list'}</bdi> : BLANK}
      />
      <StatCard
        label="Contacted"
        icon={<Check />}
        value={peopleMessaged}
        hint={share(peopleMessaged, total, 'of leads')}
      />
      <StatCard
        label="Replied"
        icon={<Reply />}
        value={peopleReplied}
        hint={share(peopleReplied, peopleMessaged, 'of those contacted')}
      />
      <StatCard
        label="Positive replies"
        icon={<ThumbsUp />}
        value={peoplePositive}
        hint={share(peoplePositive, peopleMessaged, 'of those contacted')}
      />
    </dl>
  )
}
