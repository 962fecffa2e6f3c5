import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import { lazy, Suspense, useEffect, useEffectEvent, useRef } from 'react'
import { api } from '../../../api'
import { Skeleton } from '../../../ui/skeleton'
import { useDialogs } from '../../../ui/use-dialogs'
import { useRefresh } from '../../../use-refresh'
import type { CampaignActions } from '../campaigns/campaign-actions'
import { FlightBoard } from './flight-board'
import type { PeopleFilter } from './people-sheet'
import { RepliesSection } from './replies-section'
import { ResultsSection } from './results-section'

const POLL_EVERY_MS = 5_000

// Loaded when someone presses a number.
const PeopleSheet = lazy(() => import('./people-sheet').then((module) => ({ default: module.PeopleSheet })))

interface CampaignResultsProps {
  campaign: Campaign
  actions: CampaignActions
}

/** What a launched campaign is doing, its results, and the people behind each number. */
export function CampaignResults({ campaign, actions }: CampaignResultsProps) {
  const people = useDialogs<PeopleFilter>()
  const { id, status, dmsRepliedCount } = campaign
  const isOver = status === 'completed' || status === 'archived'
  const polled = { campaignId: id, pollEveryMs: isOver ? false : POLL_EVERY_MS } as const
  const refresh = useRefresh()
  const refetch = useEffectEvent(() => void refresh(api.sequences, api.campaigns.dms))
  // A finished campaign isn't polled, but its people may still reply.
  const seenReplies = useRef(dmsRepliedCount)
  useEffect(() => {
    if (isOver && dmsRepliedCount !== seenReplies.current) refetch()
    seenReplies.current = dmsRepliedCount
  }, [isOver, dmsRepliedCount])
  return (
    <>
      <FlightBoard {...polled} onPause={status === 'active' ? () => actions.pause(campaign) : null} />
      <div className="grid grid-cols-1 items-start gap-8 lg:grid-cols-[minmax(0,1fr)_minmax(0,20rem)]">
        <ResultsSection {...polled} onShow={people.show} />
        <RepliesSection {...polled} onShow={people.show} />
      </div>
      {people.render((filter, props) => (
        <Suspense fallback={<Skeleton className="h-8" />}>
          <PeopleSheet campaignId={id} isArchived={status === 'archived'} filter={filter} {...props} />
        </Suspense>
      ))}
    </>
  )
}
