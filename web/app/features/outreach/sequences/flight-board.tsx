import { useQuery } from '@tanstack/react-query'
import { formatCount, formatDate, formatNumber } from '@x-automated/contract/format'
import type { FlightDot } from '@x-automated/contract/outreach/sequences'
import { Moon, Pause, Play } from 'lucide-react'
import { type KeyboardEvent, useId, useState } from 'react'
import { api } from '../../../api'
import { QueryError } from '../../../query-error'
import { Avatar } from '../../../ui/avatar'
import { Button } from '../../../ui/button'
import { cn } from '../../../ui/cn'
import { Skeleton } from '../../../ui/skeleton'
import { useIsOffered } from '../../identity/people/use-role'
import { personName } from './enrollment-text'
import { layoutFlight } from './flight-layout'
import { useEnrollmentActions } from './use-enrollment-actions'

const POLL_EVERY_MS = 5_000
const LANE_PX = 32
/** Above the lanes, for the faces of people who replied. */
const FACES_PX = 36

interface FlightBoardProps {
  campaignId: string
  /** Pauses the campaign; null while that is not possible. */
  onPause: (() => void) | null
}

/** The messages of the past and the next 24 hours, a dot for each person. */
export function FlightBoard({ campaignId, onPause }: FlightBoardProps) {
  const flight = useQuery(
    api.sequences.flight.queryOptions({ input: { id: campaignId }, refetchInterval: POLL_EVERY_MS }),
  )
  if (flight.isError && !flight.data) return <QueryError query={flight} />
  if (!flight.data) return <Skeleton className="h-56" />
  const { past, next, account } = flight.data
  const now = flight.dataUpdatedAt
  // The server's clock may be behind.
  const ahead = next.map((dot) => (Date.parse(dot.at) < now ? { ...dot, at: new Date(now).toISOString() } : dot))
  const dots = [...past.toReversed(), ...ahead]
  return (
    <section aria-label="Flight board" className="grid gap-3 rounded-lg border border-line bg-sunken p-4">
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

const looks: Record<FlightDot['state'], { label: string; className: string }> = {
  planned: { label: 'planned', className: 'border border-line-strong border-dashed bg-surface' },
  queued: { label: 'queued', className: 'border-[1.5px] border-line-strong bg-surface' },
  held: { label: 'on hold', className: 'border-[1.5px] border-warn bg-surface' },
  sent: { label: 'sent', className: 'bg-line-strong' },
  read: { label: 'read', className: 'bg-ink' },
  replied: { label: 'replied', className: 'bg-accent-line' },
  failed: { label: 'failed', className: 'bg-bad rounded-none! rotate-45' },
}

function Legend() {
  return (
    <ul className="me-auto flex flex-wrap gap-x-3 gap-y-1 text-xs text-muted">
      {Object.entries(looks).map(([state, { label, className }]) => (
        <li key={state} className="flex items-center gap-1.5">
          <span aria-hidden className={cn('size-2 rounded-full', className)} />
          {label.charAt(0).toUpperCase() + label.slice(1)}
        </li>
      ))}
    </ul>
  )
}

interface Account {
  capNow: number
  sentInDay: number
  warmUpDay: number | null
  refusals: number
  checked: number
}

/** How much of the account's daily cap is used, and how X takes its messages. */
function AccountHealth({ account: { capNow, sentInDay, warmUpDay, refusals, checked } }: { account: Account }) {
  const used = capNow === 0 ? 0 : Math.min(1, sentInDay / capNow)
  return (
    <p className="flex items-center gap-3" data-numeric>
      <svg aria-hidden viewBox="0 0 36 36" className="size-9 -rotate-90">
        <circle cx="18" cy="18" r="15.5" fill="none" strokeWidth="4" className="stroke-line" />
        <circle
          cx="18"
          cy="18"
          r="15.5"
          fill="none"
          strokeWidth="4"
          pathLength="1"
          strokeDasharray={`${used} 1`}
          className="stroke-ink"
        />
      </svg>
      <span className="grid">
        <span>
          <span className="font-strong">
            {formatNumber(sentInDay)} of {formatNumber(capNow)}
          </span>{' '}
          sent in 24 hours
        </span>
        <span className="text-xs text-muted">
          {warmUpDay !== null && `Warm-up day ${formatNumber(warmUpDay)}${checked > 0 ? ' · ' : ''}`}
          {checked > 0 && `${formatCount(refusals, 'refusal')} in the last ${formatCount(checked, 'message')}`}
        </span>
      </span>
    </p>
  )
}

interface BoardProps {
  dots: readonly FlightDot[]
  now: number
  onPause: (() => void) | null
}

const keyOf = ({ enrollmentId, stepNumber, state }: FlightDot) =>
  `${enrollmentId} ${stepNumber} ${state === 'planned' ? 'next' : 'message'}`

function Board({ dots, now, onPause }: BoardProps) {
  const id = useId()
  const mayChange = useIsOffered('member')
  const { pause, resume } = useEnrollmentActions()
  const [chosen, setChosen] = useState<string | null>(null)
  const layout = layoutFlight(
    dots.map(({ at }) => Date.parse(at)),
    now,
  )
  const lanes = [...new Set(dots.map(({ stepNumber }) => stepNumber))].sort((a, b) => a - b)
  const next = dots.findIndex(({ at }) => Date.parse(at) >= now)
  const kept = chosen === null ? -1 : dots.findIndex((dot) => keyOf(dot) === chosen)
  // At first the next message; without one, the last.
  const index = kept >= 0 ? kept : next >= 0 ? next : dots.length - 1
  const shown = dots[index]
  const height = FACES_PX + lanes.length * LANE_PX
  const top = (stepNumber: number) => FACES_PX + (lanes.indexOf(stepNumber) + 0.5) * LANE_PX
  const choose = (at: number) => {
    const dot = dots[Math.min(dots.length - 1, Math.max(0, at))]
    if (dot) setChosen(keyOf(dot))
  }
  const canHold = mayChange && shown?.lead != null && ['planned', 'queued', 'held'].includes(shown.state)
  const hold = () => {
    if (!canHold || !shown) return
    const person = { id: shown.enrollmentId, name: personName(shown.lead) }
    if (shown.state === 'held') resume.run(person)
    else pause.run(person)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const moves: Record<string, () => void> = {
      ArrowLeft: () => choose(index - 1),
      ArrowRight: () => choose(index + 1),
      Home: () => choose(0),
      End: () => choose(dots.length - 1),
      h: hold,
      p: () => mayChange && onPause?.(),
    }
    const move = moves[event.key.length === 1 ? event.key.toLowerCase() : event.key]
    if (!move) return
    event.preventDefault()
    move()
  }
  return (
    <>
      <div className="-mx-4 overflow-x-auto px-4">
        <div
          role="listbox"
          tabIndex={0}
          aria-label="Messages of the past and the next 24 hours"
          aria-activedescendant={shown && `${id}-${index}`}
          onKeyDown={onKeyDown}
          className="relative min-w-160 rounded-sm"
          style={{ height: height + 28 }}
        >
          {lanes.map((lane) => (
            <span key={lane} role="presentation">
              <span className="absolute start-0 w-full border-t border-line" style={{ top: top(lane) }} />
              <span
                className="absolute start-0 -translate-y-1/2 bg-sunken pe-1 text-2xs text-muted"
                style={{ top: top(lane) }}
              >
                {formatNumber(lane)}
              </span>
            </span>
          ))}
          {layout.folds.map((x) => (
            <Moon
              key={x}
              aria-hidden
              className="absolute size-3.5 -translate-x-1/2 bg-sunken text-muted"
              style={{ left: `${x}%`, top: FACES_PX }}
            />
          ))}
          {layout.labels.map(({ time, x }) => (
            <span
              key={time}
              aria-hidden
              className="absolute -translate-x-1/2 text-2xs whitespace-nowrap text-muted first:translate-x-0"
              style={{ left: `clamp(3rem, ${x}%, 100% - 3rem)`, top: height + 6 }}
            >
              {formatDate(time, { weekday: 'short', hour: 'numeric', minute: '2-digit' })}
            </span>
          ))}
          <span aria-hidden style={{ left: `${layout.now}%`, height }} className="absolute top-0 w-0.5 bg-ink" />
          <span
            aria-hidden
            className="absolute -translate-x-1/2 rounded-full bg-ink px-2 text-2xs font-strong whitespace-nowrap text-inverse"
            style={{ left: `clamp(2rem, ${layout.now}%, 100% - 2rem)`, top: height + 4 }}
          >
            {timeText(now)}
          </span>
          {dots.map((dot, at) => {
            const x = layout.x(Date.parse(dot.at))
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the list box has the keys
              // biome-ignore lint/a11y/useFocusableInteractive: the list box has the focus
              <div
                key={keyOf(dot)}
                id={`${id}-${at}`}
                role="option"
                aria-selected={at === index}
                aria-label={dotText(dot)}
                title={dotText(dot)}
                onClick={() => choose(at)}
                className="absolute flex size-4 -translate-1/2 cursor-pointer items-center justify-center"
                style={{ left: `${x}%`, top: top(dot.stepNumber) }}
              >
                {dot.state === 'replied' && (
                  <span
                    className="absolute bottom-1/2 flex flex-col items-center"
                    style={{ height: top(dot.stepNumber) }}
                  >
                    <Avatar name={personName(dot.lead)} size="xs" />
                    <span className="w-px flex-1 bg-accent-line" />
                  </span>
                )}
                <span
                  className={cn(
                    'relative size-2 rounded-full',
                    looks[dot.state].className,
                    at === index && 'outline-2 outline-offset-2 outline-ink',
                  )}
                />
              </div>
            )
          })}
        </div>
      </div>
      {shown && (
        <div className="flex min-h-8 flex-wrap items-center gap-x-4 gap-y-2">
          <p className="me-auto wrap-anywhere" aria-live="polite">
            <bdi className="font-strong">{personName(shown.lead)}</bdi>, {detailText(shown)}
          </p>
          {canHold && (
            <Button
              size="sm"
              icon={shown.state === 'held' ? <Play /> : <Pause />}
              disabled={pause.isPending || resume.isPending}
              onClick={hold}
            >
              {shown.state === 'held' ? 'Resume' : 'Hold'} <Key>H</Key>
            </Button>
          )}
          {mayChange && onPause && (
            <Button size="sm" variant="ghost" onClick={onPause}>
              Pause campaign <Key>P</Key>
            </Button>
          )}
        </div>
      )}
    </>
  )
}

function Key({ children }: { children: string }) {
  return (
    <kbd
      aria-hidden
      className="rounded-sm border border-line bg-sunken px-1 font-sans text-2xs text-muted max-md:hidden"
    >
      {children}
    </kbd>
  )
}

const timeText = (value: number | string) => formatDate(value, { hour: 'numeric', minute: '2-digit' })

/** 'step 2 A, sent Mon 2:05 PM'. */
function detailText({ stepNumber, variant, state, at }: FlightDot): string {
  const step = `step ${formatNumber(stepNumber)}${variant ? ` ${variant.name}` : ''}`
  return `${step}, ${looks[state].label} ${formatDate(at, { weekday: 'short', hour: 'numeric', minute: '2-digit' })}`
}

function dotText(dot: FlightDot): string {
  return `${personName(dot.lead)}, ${detailText(dot)}`
}
