import { formatCompact, formatDate, formatNumber } from '@x-automated/contract/format'
import { type ReactNode, useState } from 'react'
import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts'
import { Button } from './button'
import { cn } from './cn'
import { Table, Td, Tr } from './table'

interface DaySeries<K extends string> {
  key: K
  label: string
  /** 'quiet' for a series that includes the other one. */
  tone?: 'accent' | 'quiet'
}

type Day<K extends string> = { day: string } & Record<K, number>

export interface DayChartProps<K extends string> {
  /** The name of the chart and its table: 'Members by day'. */
  label: string
  /** Ascending. `day` is a UTC day, such as '2026-11-20'. */
  days: readonly Day<K>[]
  series: readonly DaySeries<K>[]
  /** An additional column, in the table and the tooltip. */
  extra?: { label: string; value: (day: Day<K>) => ReactNode }
}

const tones = {
  accent: { fill: 'var(--color-accent-pressed)', dot: 'bg-accent-pressed' },
  quiet: { fill: 'var(--color-line-strong)', dot: 'bg-line-strong' },
}
const shortDay = (day: string) => formatDate(day, { month: 'short', day: 'numeric', timeZone: 'UTC' })
const fullDay = (day: string) => formatDate(day, { dateStyle: 'medium', timeZone: 'UTC' })
const tick = { fill: 'var(--color-muted)', fontSize: 12 }
const yAxis = {
  width: 44,
  tick,
  tickLine: false,
  axisLine: false,
  allowDecimals: false,
  tickFormatter: formatCompact,
}

/** Numbers by day, as a chart or as a table. */
export function DayChart<K extends string>({ label, days, series, extra }: DayChartProps<K>) {
  const [asTable, setAsTable] = useState(false)
  return (
    <figure className="grid gap-4" aria-label={label}>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <ul className="flex flex-wrap gap-x-4 gap-y-1 text-muted">
          {series.map(({ key, label: name, tone = 'accent' }) => (
            <li key={key} className="flex items-center gap-2">
              <span aria-hidden className={cn('size-2.5 rounded-full', tones[tone].dot)} />
              {name}
            </li>
          ))}
        </ul>
        <Button
          size="sm"
          variant="ghost"
          className="print:hidden"
          aria-pressed={asTable}
          onClick={() => setAsTable(!asTable)}
        >
          {asTable ? 'Show as chart' : 'Show as table'}
        </Button>
      </div>
      {asTable ? (
        <Table
          label={label}
          narrow="scroll"
          maxHeight="18rem"
          columns={['Day', ...[...series, ...(extra ? [extra] : [])].map(({ label: name }) => ({ name, end: true }))]}
        >
          {days.toReversed().map((row) => (
            <Tr key={row.day}>
              <Td>
                <time dateTime={row.day}>{fullDay(row.day)}</time>
              </Td>
              {series.map(({ key }) => (
                <Td key={key} end data-numeric>
                  {formatNumber(row[key])}
                </Td>
              ))}
              {extra && (
                <Td end data-numeric>
                  {extra.value(row)}
                </Td>
              )}
            </Tr>
          ))}
        </Table>
      ) : (
        <div
          aria-hidden
          // On screen, a chart has the window's width. On paper, it shrinks to the page.
          className="h-72 min-w-0 print:[&_.recharts-responsive-container_div]:size-full! print:[&_svg]:h-auto! print:[&_svg]:w-full!"
        >
          <ResponsiveContainer width="100%" height="100%">
            <BarChart
              data={days as Day<K>[]}
              margin={{ top: 8, right: 0, bottom: 0, left: 0 }}
              accessibilityLayer={false}
            >
              <CartesianGrid vertical={false} stroke="var(--color-line)" />
              <XAxis
                dataKey="day"
                tickFormatter={shortDay}
                tick={tick}
                tickLine={false}
                axisLine={{ stroke: 'var(--color-line)' }}
                minTickGap={32}
              />
              <YAxis {...yAxis} />
              <Tooltip
                isAnimationActive={false}
                cursor={{ fill: 'var(--color-hover)', stroke: 'var(--color-line-strong)' }}
                content={({ active, payload }) => {
                  const row = payload?.[0]?.payload as Day<K> | undefined
                  return active && row ? <Hint row={row} series={series} extra={extra} /> : null
                }}
              />
              {series.map(({ key, tone = 'accent' }) => (
                <Bar
                  key={key}
                  dataKey={key}
                  fill={tones[tone].fill}
                  maxBarSize={20}
                  radius={[3, 3, 0, 0]}
                  isAnimationActive={false}
                />
              ))}
            </BarChart>
          </ResponsiveContainer>
        </div>
      )}
    </figure>
  )
}

function Hint<K extends string>({ row, series, extra }: { row: Day<K> } & Pick<DayChartProps<K>, 'series' | 'extra'>) {
  return (
    <div className="grid gap-1 rounded-md border border-line bg-raised px-3 py-2 text-xs shadow-md" data-numeric>
      <p className="font-strong">{fullDay(row.day)}</p>
      {series.map(({ key, label }) => (
        <p key={key} className="flex justify-between gap-6">
          <span className="text-muted">{label}</span>
          {formatNumber(row[key])}
        </p>
      ))}
      {extra && (
        <p className="flex justify-between gap-6">
          <span className="text-muted">{extra.label}</span>
          {extra.value(row)}
        </p>
      )}
    </div>
  )
}
