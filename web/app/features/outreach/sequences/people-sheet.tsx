import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { ENROLLMENTS_COUNTED_MAX } from '@x-automated/contract/outreach/sequence-limits'
import { ENROLLMENT_STATES, type Enrollment, type Outcome } from '@x-automated/contract/outreach/sequences'
import { Pause, Play, Square, Users } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../api'
import { QueryError } from '../../../query-error'
import { Avatar } from '../../../ui/avatar'
import { Button, IconButton } from '../../../ui/button'
import { Sheet } from '../../../ui/dialog'
import { EmptyState } from '../../../ui/empty-state'
import { Select } from '../../../ui/select'
import { LoadingText, SkeletonText } from '../../../ui/skeleton'
import { Tooltip } from '../../../ui/tooltip'
import type { ControlledDialogProps } from '../../../ui/use-dialogs'
import { useIsOffered } from '../../identity/people/use-role'
import { ReasonText } from '../campaigns/reason-text'
import { peopleText, personName, positionText, STATE_NAMES } from './enrollment-text'
import { LeadName } from './lead-name'
import { useEnrollmentActions } from './use-enrollment-actions'

/** Which of a campaign's people the list contains. */
export interface PeopleFilter {
  /** 'Replied: Follow-up, variant B'. */
  title: string
  stepNumber?: number | undefined
  variantId?: string | undefined
  outcome?: Outcome | undefined
}

interface PeopleSheetProps extends ControlledDialogProps {
  campaignId: string
  /** The campaign is archived, so nobody can be resumed. */
  isArchived: boolean
  filter: PeopleFilter
}

/** The people behind one of a campaign's numbers, with buttons to pause, resume and stop each. */
export function PeopleSheet({ campaignId, isArchived, filter, ...dialog }: PeopleSheetProps) {
  const { title, ...what } = filter
  const [state, setState] = useState<Enrollment['state'] | ''>('')
  const people = useInfiniteQuery(
    api.enrollments.list.infiniteOptions({
      input: (cursor: string | undefined) => ({ id: campaignId, ...what, state: state || undefined, cursor }),
      initialPageParam: undefined,
      getNextPageParam: ({ cursor }) => cursor ?? undefined,
      placeholderData: keepPreviousData,
    }),
  )
  const mayChange = useIsOffered('member') && !isArchived
  const rows = people.data?.pages.flatMap(({ enrollments }) => enrollments)
  const total = people.data?.pages[0]?.total
  return (
    <Sheet
      {...dialog}
      title={title}
      description={
        total === undefined ? undefined : <span data-numeric>{peopleText(total, ENROLLMENTS_COUNTED_MAX)}</span>
      }
    >
      <div className="grid gap-4">
        <Select
          aria-label="State"
          className="w-44"
          value={state}
          options={[
            { value: '', label: 'All states' },
            ...ENROLLMENT_STATES.map((value) => ({ value, label: STATE_NAMES[value] })),
          ]}
          onChange={(event) => setState(event.currentTarget.value as typeof state)}
        />
        {people.isError && !people.data ? (
          <QueryError query={people} />
        ) : !rows ? (
          <>
            <LoadingText>Loading people…</LoadingText>
            <SkeletonText lines={8} />
          </>
        ) : rows.length === 0 ? (
          <EmptyState icon={<Users />} title="No matching people" />
        ) : (
          <ul className="grid" aria-busy={people.isPlaceholderData || undefined}>
            {rows.map((enrollment) => (
              <PersonRow key={enrollment.id} enrollment={enrollment} mayChange={mayChange} />
            ))}
          </ul>
        )}
        {people.hasNextPage && (
          <Button className="w-fit" loading={people.isFetchingNextPage} onClick={() => people.fetchNextPage()}>
            Show more
          </Button>
        )}
      </div>
    </Sheet>
  )
}

const RESUMABLE: readonly Enrollment['state'][] = ['paused', 'replied', 'stopped', 'opted_out']

function PersonRow({ enrollment, mayChange }: { enrollment: Enrollment; mayChange: boolean }) {
  const { lead, state, reason } = enrollment
  const { pause, resume, stop } = useEnrollmentActions()
  const name = personName(lead)
  const about = { id: enrollment.id, name }
  const isBusy = pause.isPending || resume.isPending || stop.isPending
  return (
    <li className="flex items-center gap-3 border-b border-line py-3 last:border-b-0">
      <Avatar name={name} src={lead?.pictureUrl} size="sm" />
      <div className="grid min-w-0 flex-1 gap-0.5">
        <p className="flex min-w-0 flex-wrap items-baseline gap-x-2">
          <LeadName lead={lead} />
        </p>
        <p className="text-xs text-muted">
          <ReasonText text={positionText(enrollment, Date.now())} params={reason?.params} />
        </p>
      </div>
      {mayChange && lead && (
        <span className="flex shrink-0">
          {state === 'active' && (
            <PersonButton label={`Pause ${name}`} icon={<Pause />} disabled={isBusy} onClick={() => pause.run(about)} />
          )}
          {RESUMABLE.includes(state) && (
            <PersonButton
              label={`Resume ${name}`}
              icon={<Play />}
              disabled={isBusy}
              onClick={() => resume.run(about)}
            />
          )}
          {(state === 'active' || state === 'paused') && (
            <PersonButton label={`Stop ${name}`} icon={<Square />} disabled={isBusy} onClick={() => stop.run(about)} />
          )}
        </span>
      )}
    </li>
  )
}

function PersonButton(props: { label: string; icon: React.ReactElement; disabled: boolean; onClick: () => void }) {
  return (
    <Tooltip text={props.label}>
      <IconButton size="sm" {...props} />
    </Tooltip>
  )
}
