import { useQuery } from '@tanstack/react-query'
import { formatCompact, formatNumber, formatPercent } from '@x-automated/contract/format'
import type { HeatmapCell } from '@x-automated/contract/overview/analytics'
import { useState } from 'react'
import { api } from '../../../api'
import { QueryError } from '../../../query-error'
import { Segments } from '../../../ui/segments'
import { Skeleton } from '../../../ui/skeleton'
import { Table, Td, Th, Tr } from '../../../ui/table'
import { ExportCsv } from '../../platform/billing/export-csv'
import { bestHour, hourName, type Measure, measured, RATE_FROM, weekdayName } from './comparison-text'
import type { Days } from './range'

const STALE_MS = 30_000
const WEEKDAYS = [1, 2, 3, 4, 5, 6, 7]
const HOURS = Array.from({ length: 24 }, (_, hour) => hour)

interface HeatmapProps {
  /** A campaign's id or 'direct'. Undefined for all. */
  campaignId: string | undefined
  days: Days
}

/** When messages were sent and answered: a table whose cells are colored by value. */
export function Heatmap({ campaignId, days }: HeatmapProps) {
  const [measure, setMeasure] = useState<Measure>('replied')
  const input = { ...days, ...(campaignId && { campaignId }) }
  const query = useQuery(api.analytics.heatmap.queryOptions({ input, staleTime: STALE_MS }))
  const cells = query.data?.cells
  return (
    <section aria-labelledby="heatmap" className="grid grid-cols-1 gap-3">
      <div className="flex flex-wrap items-end justify-between gap-3">
        <div className="grid gap-0.5">
          <h2 id="heatmap" className="text-base">
            When people reply
          </h2>
          <p className="text-muted">
            By weekday and hour of the message{query.data ? ` (${query.data.timeZone})` : ''}. Rates need {RATE_FROM}{' '}
            messages.
          </p>
        </div>
        <ExportCsv path={`/api/analytics/heatmap/export?${new URLSearchParams(input)}`} fileName="analytics-by-hour" />
      </div>
      <Segments
        label="Figure"
        options={[
          { value: 'replied', label: 'Reply rate' },
          { value: 'positive', label: 'Positive rate' },
          { value: 'sent', label: 'Sent' },
        ]}
        value={measure}
        onChange={setMeasure}
      />
      {query.isError && <QueryError query={query} />}
      {query.isPending && <Skeleton className="h-84" />}
      {cells &&
        (cells.length === 0 ? (
          <p className="text-muted">No messages in this period.</p>
        ) : (
          <>
            <Best cells={cells} measure={measure} />
            <Grid cells={cells} measure={measure} />
          </>
        ))}
    </section>
  )
}

const formatValue = (value: number, measure: Measure) =>
  measure === 'sent' ? formatCompact(value) : formatPercent(value)

const BEST: Record<Measure, string> = {
  replied: 'Most replies',
  positive: 'Most positive replies',
  sent: 'Most messages',
}

function Best({ cells, measure }: { cells: HeatmapCell[]; measure: Measure }) {
  const best = bestHour(cells, measure)
  if (!best) return null
  const { weekday, hour, sent } = best
  const what =
    measure === 'sent'
      ? `${formatNumber(sent)} messages`
      : `${formatPercent(best[measure] / sent, 1)} of ${formatNumber(sent)} messages`
  return (
    <p data-numeric>
      {BEST[measure]}:{' '}
      <span className="font-strong">
        {weekdayName(weekday, 'long')}, {hourName(hour)}
      </span>{' '}
      ({what}).
    </p>
  )
}

function Grid({ cells, measure }: { cells: HeatmapCell[]; measure: Measure }) {
  const at = new Map(cells.map((cell) => [cell.weekday * 24 + cell.hour, cell]))
  const highest = Math.max(...cells.map((cell) => measured(cell, measure) ?? 0))
  return (
    <Table label="Replies by weekday and hour" narrow="scroll">
      <thead>
        <tr>
          <Th className="px-2!">Hour</Th>
          {HOURS.map((hour) => (
            <Th key={hour} className="px-0! text-center! text-xs" data-numeric>
              {hour}
            </Th>
          ))}
        </tr>
      </thead>
      <tbody>
        {WEEKDAYS.map((weekday) => (
          <Tr key={weekday}>
            <th scope="row" className="px-2 text-start font-normal text-muted">
              {weekdayName(weekday)}
            </th>
            {HOURS.map((hour) => {
              const cell = at.get(weekday * 24 + hour)
              const value = measured(cell, measure)
              return (
                <Td
                  key={hour}
                  className="relative h-9 min-w-9 border-b-0! p-0! text-center! text-2xs"
                  data-numeric
                  title={
                    cell &&
                    `${weekdayName(weekday)} ${hourName(hour)}: ${formatNumber(cell.sent)} sent, ${formatNumber(cell.replied)} replied, ${formatNumber(cell.positive)} positive`
                  }
                >
                  {value !== null && highest > 0 && (
                    <span
                      aria-hidden
                      className="absolute inset-px rounded-sm bg-accent-line"
                      // At most half opaque, so that the number stays readable.
                      style={{ opacity: (value / highest) * 0.5 }}
                    />
                  )}
                  <span className="relative">
                    {value === null ? <span className="text-faint">·</span> : formatValue(value, measure)}
                  </span>
                </Td>
              )
            })}
          </Tr>
        ))}
      </tbody>
    </Table>
  )
}
