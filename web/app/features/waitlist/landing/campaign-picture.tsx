import { StatusBadge } from '../../../ui/badge'
import { StatCard } from '../../../ui/stat-card'
import { Face } from './face'

/** Example numbers. The page labels them as such. */
const figures = [
  { label: 'Messages sent', value: 327 },
  { label: 'Response rate', value: '43%' },
  { label: 'Conversions', value: 18 },
]

const people = [
  { first: 'Maya', last: 'Okafor', handle: '@mayabuilds', status: 'replied', when: '2 min ago' },
  { first: 'Jonas', last: 'Lindqvist', handle: '@jonaslq', status: 'delivered', when: '3 min ago' },
  { first: 'Priya', last: 'Raman', handle: '@priyaships', status: 'sent', when: '4 min ago' },
  { first: 'Tomás', last: 'Vidal', handle: '@tomasvidal', status: 'sending', when: 'now' },
  { first: 'Ines', last: 'Moreau', handle: '@inesmakes', status: 'queued', when: 'in 1 min' },
] as const

/** Messages and replies per day, for 14 days: 327 and 141 (43%) in total. */
const days = [
  [12, 4],
  [17, 7],
  [21, 8],
  [24, 11],
  [19, 9],
  [9, 5],
  [7, 3],
  [26, 11],
  [31, 13],
  [34, 15],
  [38, 16],
  [36, 16],
  [29, 13],
  [24, 10],
] as const

/** A mock campaign, built from the product's own components. */
export function CampaignPicture() {
  return (
    <figure
      aria-label="Example of a campaign: 327 messages sent, 43% response rate, 18 conversions"
      className="overflow-hidden rounded-xl border border-line bg-sunken shadow-md"
    >
      <div aria-hidden className="grid grid-cols-1 gap-4 p-4 md:p-6">
        <div className="flex items-center justify-between gap-4">
          <p className="min-w-0 truncate text-base font-strong">Founders who follow @indiehackers</p>
          <StatusBadge status="active" />
        </div>
        <dl className="grid grid-cols-3 gap-3 border-y border-line py-4 *:border-0 *:p-0 md:gap-4">
          {figures.map((figure) => (
            <StatCard key={figure.label} {...figure} />
          ))}
        </dl>
        <div className="grid gap-3 md:gap-4 lg:grid-cols-[3fr_2fr]">
          {/* Aligned to the top, because the list beside it may be parsed later and make the row taller. */}
          <div className="grid content-start gap-4 py-2 lg:pe-4">
            <p className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
              <span className="font-strong">Last 14 days</span>
              <span className="flex gap-4 text-xs text-muted">
                <Key className="bg-control">Sent</Key>
                <Key className="bg-accent">Replied</Key>
              </span>
            </p>
            <Bars />
          </div>
          <ul className="lg:ps-4">
            {people.map(({ first, last, handle, status, when }) => (
              <li key={handle} className="flex items-center gap-3 border-b border-line py-2.5 last:border-b-0">
                <Face of={first} className="size-7" />
                <p className="grid min-w-0 flex-1">
                  <span className="truncate font-strong">{`${first} ${last}`}</span>
                  <span className="truncate text-xs text-muted">
                    {handle} · {when}
                  </span>
                </p>
                <StatusBadge status={status} />
              </li>
            ))}
          </ul>
        </div>
      </div>
    </figure>
  )
}

function Key({ className, children }: { className: string; children: string }) {
  return (
    <span className="flex items-center gap-1.5">
      <span className={`size-2 rounded-sm ${className}`} />
      {children}
    </span>
  )
}

const BAR = 18
const STEP = 24
const HEIGHT = 120
const MOST = 40

/** Messages and replies on each day. */
function Bars() {
  const high = (value: number) => (value / MOST) * HEIGHT
  return (
    <svg viewBox={`0 0 ${days.length * STEP - (STEP - BAR)} ${HEIGHT}`} className="w-full" aria-hidden="true">
      {days.flatMap((counts, day) =>
        counts.map((count, kind) => (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a static list
            key={`${day} ${kind}`}
            x={day * STEP}
            y={HEIGHT - high(count)}
            width={BAR}
            height={high(count)}
            rx="3"
            className={kind === 0 ? 'fill-control' : 'fill-accent'}
          />
        )),
      )}
    </svg>
  )
}
