import { useQuery } from '@tanstack/react-query'
import type { FlightDot } from '@x-automated/contract/outreach/sequences'
import { Pause, Play } from 'lucide-react'
import { useRef, useState } from 'react'
import { api } from '../../../api'
import { QueryError } from '../../../query-error'
import { Button } from '../../../ui/button'
import { Kbd } from '../../../ui/kbd'
import { Skeleton } from '../../../ui/skeleton'
import { type KeyGroup, useKeys } from '../../../ui/use-keys'
import { useIsOffered } from '../../identity/people/use-role'
import { AccountHealth } from './account-health'
import { personName } from './enrollment-text'
import { FlightChart, keyOf } from './flight-chart'
import { detailText, Legend } from './flight-dot'
import { useEnrollmentActions } from './use-enrollment-actions'

interface FlightBoardProps {
  campaignId: string
  pollEveryMs: number | false
  /** Pauses the campaign; null if it cannot be paused now. */
  onPause: (() => void) | null
}

/** Messages of the past and the next 24 hours. Each message is a dot. */
export function FlightBoard({ campaignId, pollEveryMs, onPause }: FlightBoardProps) {
  const flight = useQuery(
    api.sequences.flight.queryOptions({ input: { id: campaignId }, refetchInterval: pollEveryMs }),
  )
  if (flight.isError && !flight.data) return <QueryError query={flight} />
  if (!flight.data) return <Skeleton className="h-56" />
  const { past, next, account } = flight.data
  const now = flight.dataUpdatedAt
  // The server's clock may be behind the browser's.
  const ahead = next.map((dot) => (Date.parse(dot.at) < now ? { ...dot, at: new Date(now).toISOString() } : dot))
  const dots = [...past.toReversed(), ...ahead]
  return (
    <section aria-label="Flight board" className="grid grid-cols-1 gap-3 rounded-lg border border-line bg-sunken p-4">
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <h2 className="text-base">Flight board</h2>
        <Legend />
        <AccountHealth account={account} />
      </div>
      {dots.length === 0 ? (
        <p className="py-6 text-center text-muted">
          Nothing was sent in the past 24 hours, and nothing is planned for the next 24.
        </p>
      ) : (
        <Board dots={dots} now={now} onPause={onPause} />
      )}
    </section>
  )
}

interface BoardProps {
  dots: readonly FlightDot[]
  now: number
  onPause: (() => void) | null
}

const BOARD_KEYS: readonly KeyGroup[] = [
  {
    title: 'Flight board',
    keys: [
      ['H', 'Hold or resume the selected person'],
      ['P', 'Pause the campaign'],
    ],
  },
]

/** The chart, and the actions on the chosen person. */
function Board({ dots, now, onPause }: BoardProps) {
  const board = useRef<HTMLDivElement>(null)
  const mayChange = useIsOffered('member')
  const { pause, resume } = useEnrollmentActions()
  const [chosen, setChosen] = useState<string | null>(null)
  const next = dots.findIndex(({ at }) => Date.parse(at) >= now)
  const chosenIndex = chosen === null ? -1 : dots.findIndex((dot) => keyOf(dot) === chosen)
  // Initially the next message or, if there is none, the last.
  const index = chosenIndex >= 0 ? chosenIndex : next >= 0 ? next : dots.length - 1
  const current = dots[index]
  const isHeld = current?.state === 'held'
  const canHold = mayChange && current?.lead != null && ['planned', 'queued', 'held'].includes(current.state)
  const isBusy = pause.isPending || resume.isPending
  const hold = () => {
    if (!canHold || isBusy) return
    // Keep this message chosen: while messages are being sent, the next one soon belongs to someone else.
    setChosen(keyOf(current))
    const person = { id: current.enrollmentId, name: personName(current.lead) }
    if (isHeld) resume.run(person)
    else pause.run(person)
  }
  const pauseCampaign = mayChange ? onPause : null
  useKeys(
    { ...(canHold && { h: hold }), ...(pauseCampaign && { p: pauseCampaign }) },
    { onScreen: board, ...(mayChange && { groups: BOARD_KEYS }) },
  )
  return (
    <div ref={board} className="grid grid-cols-1 gap-3">
      <FlightChart
        dots={dots}
        now={now}
        index={index}
        onChoose={(at) => {
          const dot = dots[at]
          if (dot) setChosen(keyOf(dot))
        }}
      />
      <div className="flex min-h-8 flex-wrap items-center gap-x-4 gap-y-2">
        {current && (
          <p className="me-auto wrap-anywhere" aria-live="polite">
            <bdi className="font-strong">{personName(current.lead)}</bdi>, {detailText(current)}
          </p>
        )}
        {canHold && (
          <Button size="sm" icon={isHeld ? <Play /> : <Pause />} disabled={isBusy} aria-keyshortcuts="H" onClick={hold}>
            {isHeld ? 'Resume' : 'Hold'} <Kbd>H</Kbd>
          </Button>
        )}
        {pauseCampaign && (
          <Button size="sm" variant="ghost" aria-keyshortcuts="P" onClick={pauseCampaign}>
            Pause campaign <Kbd>P</Kbd>
          </Button>
        )}
      </div>
    </div>
  )
}
