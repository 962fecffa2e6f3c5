import { Slider } from '@base-ui/react/slider'
import { formatCompact, formatCount, formatNumber } from '@x-automated/contract/format'
import type { client } from '../../../api'
import { NumberInput } from '../../../ui/number-input'
import { type FollowerFilter, filterBetween, positionOf, SCALE_END } from './follower-scale'

type Bins = Awaited<ReturnType<typeof client.scrapes.histogram>>['bins']

const HEIGHT = 96
const TICKS = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000]
const thumb =
  'h-8 w-4 cursor-ew-resize rounded-md border border-line-strong bg-raised shadow-sm has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent-line pointer-coarse:h-10 pointer-coarse:w-6'

interface FollowerHistogramProps {
  bins: Bins
  filter: FollowerFilter
  onChange: (filter: FollowerFilter) => void
}

/** The follower counts of all scraped profiles on a logarithmic scale, with a range to filter by. */
export function FollowerHistogram({ bins, filter, onChange }: FollowerHistogramProps) {
  const highest = Math.max(...bins.map(({ count }) => count), 1)
  const total = bins.reduce((sum, { count }) => sum + count, 0)
  const range: [number, number] = [
    filter.min === null ? 0 : positionOf(filter.min),
    filter.max === null ? SCALE_END : positionOf(filter.max),
  ]
  return (
    <section aria-label="Follower counts" className="grid gap-3">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h3 className="font-strong">Followers</h3>
        <div className="flex flex-wrap items-center gap-2">
          <NumberInput
            aria-label="Show leads with at least this many followers"
            className="w-28!"
            placeholder="Any"
            value={filter.min}
            onChange={(min) => onChange({ ...filter, min: min === 0 ? null : min })}
          />
          <span className="text-muted">to</span>
          <NumberInput
            aria-label="Show leads with at most this many followers"
            className="w-28!"
            placeholder="Any"
            value={filter.max}
            onChange={(max) => onChange({ ...filter, max })}
          />
        </div>
      </div>
      <div className="px-2">
        <div className="relative">
          <svg
            role="img"
            aria-label={sentenceOf(bins, total)}
            viewBox={`0 0 ${SCALE_END} ${HEIGHT}`}
            preserveAspectRatio="none"
            className="block h-24 w-full"
          >
            {bins.map(({ from, count }, index) => {
              const height = count === 0 ? 0 : Math.max(2, (count / highest) * HEIGHT)
              const isInside = index + 0.5 > range[0] && index + 0.5 < range[1]
              return (
                <rect
                  key={from}
                  x={index + 0.06}
                  width={0.88}
                  y={HEIGHT - height}
                  height={height}
                  className={isInside ? 'fill-ink' : 'fill-control'}
                />
              )
            })}
          </svg>
          <Slider.Root
            value={range}
            min={0}
            max={SCALE_END}
            step={0.25}
            largeStep={4}
            minStepsBetweenValues={1}
            onValueChange={([from, to]) => onChange(filterBetween(from, to))}
            className="absolute inset-0"
          >
            <Slider.Control className="flex h-full cursor-pointer items-center">
              <Slider.Track className="h-full w-full border-b border-line">
                <Slider.Indicator className="bg-hover" />
                <Slider.Thumb
                  index={0}
                  aria-label="At least this many followers"
                  getAriaValueText={() => boundText(filter.min)}
                  className={thumb}
                />
                <Slider.Thumb
                  index={1}
                  aria-label="At most this many followers"
                  getAriaValueText={() => boundText(filter.max)}
                  className={thumb}
                />
              </Slider.Track>
            </Slider.Control>
          </Slider.Root>
        </div>
        <div aria-hidden className="relative mt-1.5 h-4 text-2xs text-muted" data-numeric>
          {TICKS.map((followers) => (
            <span
              key={followers}
              className="absolute -translate-x-1/2"
              style={{ left: `${(positionOf(followers) / SCALE_END) * 100}%` }}
            >
              {formatCompact(followers)}
            </span>
          ))}
        </div>
      </div>
      <details className="text-xs text-muted">
        <summary className="w-fit cursor-pointer">Show as table</summary>
        <table className="mt-2" data-numeric>
          <thead>
            <tr>
              <th className="pe-6 text-start font-strong">Followers</th>
              <th className="text-end font-strong">Profiles</th>
            </tr>
          </thead>
          <tbody>
            {bins
              .filter(({ count }) => count > 0)
              .map(({ from, to, count }) => (
                <tr key={from}>
                  <td className="pe-6">{binText(from, to)}</td>
                  <td className="text-end">{formatNumber(count)}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </details>
    </section>
  )
}

const boundText = (bound: number | null) => (bound === null ? 'Any' : formatNumber(bound))

function binText(from: number, to: number | null): string {
  if (to === null) return `${formatNumber(from)} or more`
  return to - from === 1 ? formatNumber(from) : `${formatNumber(from)} to ${formatNumber(to - 1)}`
}

/** 'Follower counts of 620 profiles. The largest group has 316 to 561 followers.' */
function sentenceOf(bins: Bins, total: number): string {
  const most = bins.reduce(
    (best, bin) => (bin.count > best.count ? bin : best),
    bins[0] ?? { from: 0, to: 1, count: 0 },
  )
  return `Follower counts of ${formatCount(total, 'profile')}. The largest group has ${binText(most.from, most.to)} followers.`
}
