import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import { lazy, Suspense } from 'react'
import { Skeleton } from '../../../ui/skeleton'
import { useDialogs } from '../../../ui/use-dialogs'
import type { CampaignActions } from '../campaigns/campaign-actions'
import { FlightBoard } from './flight-board'
import type { PeopleFilter } from './people-sheet'
import { RepliesSection } from './replies-section'
import { ResultsSection } from './results-section'

// Loaded when a number is pressed.
const PeopleSheet = lazy(() => import('./people-sheet').then((module) => ({ default: module.PeopleSheet })))

interface CampaignResultsProps {
  campaign: Campaign
  actions: CampaignActions
}

/** What a launched campaign is doing and has achieved, with the people behind each number. */
export function CampaignResults({ campaign, actions }: CampaignResultsProps) {
  const people = useDialogs<PeopleFilter>()
  const { id, status } = campaign
  return (
    <>
      <FlightBoard campaignId={id} onPause={status === 'active' ? () => actions.pause(campaign) : null} />
      <div className="grid grid-cols-1 items-start gap-8 lg:grid-cols-[minmax(0,1fr)_minmax(0,20rem)]">
        <ResultsSection campaignId={id} onShow={people.show} />
        <RepliesSection campaignId={id} onShow={people.show} />
      </div>
      {people.render((filter, props) => (
        <Suspense fallback={<Skeleton className="h-8" />}>
          <PeopleSheet campaignId={id} isArchived={status === 'archived'} filter={filter} {...props} />
        </Suspense>
      ))}
    </>
  )
}
