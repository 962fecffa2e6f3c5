import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { formatMonth, formatNumber } from '@x-automated/contract/format'
import { useState } from 'react'
import { api } from '../../../api'
import { latestMonths } from '../../../latest-months'
import { QueryError } from '../../../query-error'
import { Card } from '../../../ui/card'
import { DateTime } from '../../../ui/date-time'
import { Progress } from '../../../ui/progress'
import { Select } from '../../../ui/select'
import { SkeletonText } from '../../../ui/skeleton'
import { Table, Td, Tr } from '../../../ui/table'
import { costText } from './writer-text'

const MONTHS_SHOWN = 6

/** The writer's usage in a month, by member. */
export function UsageCard() {
  const months = latestMonths(new Date(), MONTHS_SHOWN)
  const [month, setMonth] = useState(months[0] ?? '')
  const usage = useQuery(api.writer.usage.queryOptions({ input: { month }, placeholderData: keepPreviousData }))
  const { data } = usage
  return (
    <Card
      title="Usage"
      description="Months begin on the 1st, in UTC."
      actions={
        <Select
          aria-label="Month"
          className="w-44"
          options={months.map((value) => ({ value, label: formatMonth(value) }))}
          value={month}
          onChange={(event) => setMonth(event.currentTarget.value)}
        />
      }
    >
      {usage.isError && !data ? (
        <QueryError query={usage} fallback="Failed to load the usage. Please try again." />
      ) : !data ? (
        <SkeletonText lines={4} />
      ) : (
        <div className="grid grid-cols-1 gap-5" aria-busy={usage.isPlaceholderData || undefined}>
          <div className="grid max-w-xl gap-4">
            <Meter label="Cost" used={data.cents} limit={data.limitCents} text={costText} />
            <Meter label="Tokens" used={data.tokens} limit={data.limitTokens} text={formatNumber} />
            {month === months[0] && (
              <p className="text-muted">
                Resets on <DateTime value={data.resetsAt} precision="day" endsSentence />
              </p>
            )}
          </div>
          {data.members.length > 0 && (
            <Table
              label="Usage by member"
              columns={['Member', { name: 'Tokens', end: true }, { name: 'Cost', end: true }]}
            >
              {data.members.map(({ id, name, tokens, cents }) => (
                <Tr key={id}>
                  <Td>
                    <bdi>{name}</bdi>
                  </Td>
                  <Td label="Tokens" end data-numeric>
                    {formatNumber(tokens)}
                  </Td>
                  <Td label="Cost" end data-numeric>
                    {costText(cents)}
                  </Td>
                </Tr>
              ))}
            </Table>
          )}
        </div>
      )}
    </Card>
  )
}

interface MeterProps {
  label: string
  used: number
  /** Null if unlimited. */
  limit: number | null
  text: (value: number) => string
}

/** How much of a limit is used. */
function Meter({ label, used, limit, text }: MeterProps) {
  if (limit === null)
    return (
      <p className="flex flex-wrap justify-between gap-x-3">
        <span className="font-strong">{label}</span>
        <span className="text-muted" data-numeric>
          {text(used)}
        </span>
      </p>
    )
  return <Progress label={label} value={used} max={Math.max(1, limit)} detail={`${text(used)} of ${text(limit)}`} />
}
