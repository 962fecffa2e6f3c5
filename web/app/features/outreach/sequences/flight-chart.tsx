import { formatDate, formatNumber } from '@x-automated/contract/format'
import type { FlightDot } from '@x-automated/contract/outreach/sequences'
import { Moon } from 'lucide-react'
import { type KeyboardEvent, useId, useLayoutEffect, useRef } from 'react'
import { Dot, dotText } from './flight-dot'
import { type FlightLayout, layoutFlight } from './flight-layout'

const LANE_PX = 32
/** Space above the lanes for the faces of people who replied. */
const FACES_PX = 36

interface FlightChartProps {
  dots: readonly FlightDot[]
  now: number
  /** The index of the chosen dot. */
  index: number
  onChoose: (index: number) => void
}

/** Messages on a timeline, with a lane for each step. Arrow keys choose a message. */
export function FlightChart({ dots, now, index, onChoose }: FlightChartProps) {
  const id = useId()
  const layout = layoutFlight(
    dots.map(({ at }) => Date.parse(at)),
    now,
  )
  const lanes = [...new Set(dots.map(({ stepNumber }) => stepNumber))].sort((a, b) => a - b)
  const height = FACES_PX + lanes.length * LANE_PX
  const top = (stepNumber: number) => FACES_PX + (lanes.indexOf(stepNumber) + 0.5) * LANE_PX
  const frame = useScrolledTo(startOf(dots, now, layout))
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const places: Record<string, number> = {
      ArrowLeft: index - 1,
      ArrowRight: index + 1,
      Home: 0,
      End: dots.length - 1,
    }
    const target = places[event.key]
    if (target === undefined) return
    event.preventDefault()
    onChoose(Math.min(dots.length - 1, Math.max(0, target)))
  }
  return (
    <div ref={frame} className="-mx-4 overflow-x-auto px-4">
      <div
        role="listbox"
        tabIndex={0}
        aria-label="Messages of the past and the next 24 hours"
        aria-activedescendant={dots[index] && `${id}-${index}`}
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
        <TimeAxis layout={layout} now={now} height={height} />
        {dots.map((dot, at) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the list box has the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the list box has the focus
          <div
            key={keyOf(dot)}
            id={`${id}-${at}`}
            role="option"
            aria-selected={at === index}
            aria-label={dotText(dot)}
            title={dotText(dot)}
            onClick={() => onChoose(at)}
            className="absolute flex size-4 -translate-1/2 cursor-pointer items-center justify-center"
            style={{ left: `${layout.x(Date.parse(dot.at))}%`, top: top(dot.stepNumber) }}
          >
            <Dot dot={dot} isChosen={at === index} stalk={top(dot.stepNumber)} />
          </div>
        ))}
      </div>
    </div>
  )
}

/** A key that stays the same while a message is held, resumed and sent. */
export const keyOf = ({ enrollmentId, stepNumber, dmId }: FlightDot) =>
  `${enrollmentId} ${stepNumber} ${dmId === null ? 'next' : 'message'}`

/** Marks the collapsed spans, the times after them, and the current time. */
function TimeAxis({ layout, now, height }: { layout: FlightLayout; now: number; height: number }) {
  return (
    <>
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
          className="absolute -translate-x-1/2 text-2xs whitespace-nowrap text-muted"
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
        {formatDate(now, { hour: 'numeric', minute: '2-digit' })}
      </span>
    </>
  )
}

/** Where the chart opens: between the latest message and the next one, so that neither is out of view. */
export function startOf(dots: readonly FlightDot[], now: number, layout: FlightLayout): number {
  const xs = dots.map(({ at }) => ({ isPast: Date.parse(at) < now, x: layout.x(Date.parse(at)) }))
  const past = xs.filter(({ isPast }) => isPast).map(({ x }) => x)
  const next = xs.filter(({ isPast }) => !isPast).map(({ x }) => x)
  if (past.length === 0 && next.length === 0) return layout.now
  return past.length > 0 ? Math.max(...past) : Math.min(...next)
}

/** If a frame is too narrow, initially scrolls it so that this position is in the middle. @param at in percent */
function useScrolledTo(at: number) {
  const frame = useRef<HTMLDivElement>(null)
  const first = useRef(at)
  useLayoutEffect(() => {
    const box = frame.current
    if (box) box.scrollLeft = (box.scrollWidth * first.current) / 100 - box.clientWidth / 2
  }, [])
  return frame
}
