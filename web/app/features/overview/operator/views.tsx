import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { formatNumber } from '@x-automated/contract/format'
import { VIEW_DAYS_MAX } from '@x-automated/contract/overview/operator-limits'
import { DAY_MS } from '@x-automated/contract/time'
import { ChartNoAxesColumn } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../api'
import { QueryError } from '../../../query-error'
import { Card } from '../../../ui/card'
import { EmptyState } from '../../../ui/empty-state'
import { Field } from '../../../ui/field'
import { Input } from '../../../ui/input'
import { LazyChart } from '../../../ui/lazy-chart'
import { Pager } from '../../../ui/pager'
import { Select } from '../../../ui/select'
import { StatCard } from '../../../ui/stat-card'
import { Table, Td, Tr } from '../../../ui/table'
import { conversionText, utcDay } from './operator-text'

const PAGE_SIZE = 25
const FIGURES = ['Views', 'Joins', 'Conversion'].map((name) => ({ name, end: true }))

/** The message for an invalid date range, or null. */
function rangeProblem(from: string, to: string): string | null {
  if (!from || !to) return 'Choose both dates.'
  if (from > to) return 'The start date must be before the end date.'
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1
  return days > VIEW_DAYS_MAX ? `Choose at most ${VIEW_DAYS_MAX} days.` : null
}

/** Views, joins and conversion by day and by source. */
export function Views() {
  const [from, setFrom] = useState(() => utcDay(new Date(), 29))
  const [to, setTo] = useState(() => utcDay(new Date()))
  const [by, setBy] = useState<'page' | 'ref'>('page')
  const [page, setPage] = useState(1)
  const problem = rangeProblem(from, to)
  const views = useQuery(
    api.operator.views.queryOptions({
      input: { from, to, by, page, pageSize: PAGE_SIZE },
      enabled: problem === null,
      placeholderData: keepPreviousData,
    }),
  )
  const pick = (set: (value: string) => void) => (event: { target: { value: string } }) => {
    set(event.target.value)
    setPage(1)
  }
  const data = views.data
  return (
    <div className="grid gap-6">
      <div className="flex flex-wrap items-start gap-3">
        <Field label="From" error={problem ?? undefined} className="max-sm:flex-1">
          <Input type="date" value={from} max={to} onChange={pick(setFrom)} />
        </Field>
        <Field label="To" className="max-sm:flex-1">
          <Input type="date" value={to} min={from} onChange={pick(setTo)} />
        </Field>
      </div>
      {views.isError ? (
        <QueryError query={views} fallback="Failed to load views and joins." />
      ) : (
        <>
          <dl className="grid grid-cols-3 gap-3">
            <StatCard label="Views" value={data?.views} />
            <StatCard label="Joins" value={data?.joins} />
            <StatCard label="Conversion" value={data && conversionText(data)} />
          </dl>
          <Card title="By day" description="Dates in UTC.">
            <LazyChart
              label="Views and joins by day"
              days={data?.days}
              series={[
                { key: 'views', label: 'Views', tone: 'quiet' },
                { key: 'joins', label: 'Joins' },
              ]}
              extra={{ label: 'Conversion', value: conversionText }}
            />
          </Card>
          <div className="grid gap-3">
            <div className="flex flex-wrap items-end justify-between gap-3">
              <div className="grid gap-0.5">
                <h2 className="text-base">Sources</h2>
                <p className="text-muted">Joins count toward the page where the visit started.</p>
              </div>
              <Select
                aria-label="Grouped by"
                options={[
                  { value: 'page', label: 'By page' },
                  { value: 'ref', label: 'By referral code' },
                ]}
                value={by}
                onChange={(event) => {
                  setBy(event.target.value === 'ref' ? 'ref' : 'page')
                  setPage(1)
                }}
              />
            </div>
            {data?.total === 0 ? (
              <EmptyState icon={<ChartNoAxesColumn aria-hidden />} title="No data for these dates">
                Choose other dates to see page views and joins.
              </EmptyState>
            ) : (
              <Sources by={by} sources={data?.sources} stale={views.isPlaceholderData} />
            )}
            <Pager page={page} pageSize={PAGE_SIZE} query={views} onChange={setPage} noun="sources" />
          </div>
        </>
      )}
    </div>
  )
}

interface SourcesProps {
  by: 'page' | 'ref'
  sources: { source: string; email: string | null; views: number; joins: number }[] | undefined
  stale: boolean
}

function Sources({ by, sources, stale }: SourcesProps) {
  const name = by === 'page' ? 'Page' : 'Referral code'
  return (
    <Table label="Sources" columns={[name, ...FIGURES]} stale={stale}>
      {sources?.map((row) => (
        <Tr key={row.source}>
          <Td label={name} className="wrap-anywhere">
            {row.source || <span className="text-muted">No code</span>}
            {row.email && <span className="block text-muted">{row.email}</span>}
          </Td>
          <Td label="Views" end data-numeric>
            {formatNumber(row.views)}
          </Td>
          <Td label="Joins" end data-numeric>
            {formatNumber(row.joins)}
          </Td>
          <Td label="Conversion" end data-numeric>
            {conversionText(row)}
          </Td>
        </Tr>
      ))}
    </Table>
  )
}
