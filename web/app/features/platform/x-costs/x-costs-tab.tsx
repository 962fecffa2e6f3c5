import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { formatMonth, formatNumber } from '@x-automated/contract/format'
import type { XCosts } from '@x-automated/contract/platform/x-costs'
import { useState } from 'react'
import { api } from '../../../api'
import { latestMonths } from '../../../latest-months'
import { QueryError } from '../../../query-error'
import { Callout } from '../../../ui/callout'
import { Card } from '../../../ui/card'
import { DateTime } from '../../../ui/date-time'
import { EmptyState } from '../../../ui/empty-state'
import { Progress } from '../../../ui/progress'
import { Select } from '../../../ui/select'
import { LoadingText, SkeletonText } from '../../../ui/skeleton'
import { Table, Td, Tr } from '../../../ui/table'
import { useAccounts } from '../x-account/use-accounts'
import { LimitCard } from './limit-card'
import { costText, PURPOSES, totalText } from './x-costs-text'

const MONTHS_SHOWN = 12

/** What X charges in a month, by account and purpose, and the workspace's limit. */
export function XCostsTab() {
  const months = latestMonths(new Date(), MONTHS_SHOWN)
  const [month, setMonth] = useState(months[0] ?? '')
  const costs = useQuery(api.xCosts.find.queryOptions({ input: { month }, placeholderData: keepPreviousData }))
  const { data } = costs
  const isThisMonth = month === months[0]
  return (
    <div className="grid grid-cols-1 gap-6">
      {data?.funds === 'empty' && <FundsCallout since={data.fundsSince} />}
      <Card
        title="What X charges"
        description="Estimated from X's published prices. Months are UTC."
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
        {costs.isError && !data ? (
          <QueryError query={costs} fallback="Failed to load what X charges. Please try again." />
        ) : !data ? (
          <>
            <LoadingText>Loading what X charges…</LoadingText>
            <SkeletonText lines={6} />
          </>
        ) : (
          <div className="grid grid-cols-1 gap-6" aria-busy={costs.isPlaceholderData || undefined}>
            <Total costs={data} isThisMonth={isThisMonth} />
            <Accounts costs={data} month={month} />
          </div>
        )}
      </Card>
      {data && <LimitCard limitCents={data.limitCents} />}
    </div>
  )
}

function FundsCallout({ since }: { since: string | null }) {
  const isOwn = useQuery(api.sendingSettings.find.queryOptions()).data?.xApp.isOwn
  return (
    <Callout tone="warn" title="X has no credits left">
      {since && (
        <>
          Since <DateTime value={since} endsSentence />{' '}
        </>
      )}
      Nothing is sent or read, and nobody is skipped. {isOwn === true && 'Add credits at console.x.com. '}
      {isOwn === false && 'The operator of this server has been notified. '}
      We try again every hour.
    </Callout>
  )
}

function Total({ costs, isThisMonth }: { costs: XCosts; isThisMonth: boolean }) {
  const { totalCents, limitCents } = costs
  if (isThisMonth && limitCents !== null)
    return <Progress label="So far" value={totalCents} max={Math.max(1, limitCents)} detail={totalText(costs)} />
  return (
    <p className="flex flex-wrap justify-between gap-x-3">
      <span className="font-strong">{isThisMonth ? 'So far' : 'Total'}</span>
      <span data-numeric>{costText(totalCents)}</span>
    </p>
  )
}

function Accounts({ costs, month }: { costs: XCosts; month: string }) {
  const accounts = useAccounts().data?.accounts
  const isRealX = useQuery(api.sendingSettings.find.queryOptions()).data?.basis.isRealX
  if (costs.accounts.length === 0)
    return (
      <EmptyState title={`No charges in ${formatMonth(month)}`}>
        Messages, people and replies show up here within seconds.
      </EmptyState>
    )
  return (
    <>
      {isRealX === false && costs.totalCents === 0 && <p className="text-muted">The stand-in X costs nothing.</p>}
      {costs.accounts.map(({ xAccountId, cents, byPurpose }) => {
        const handle = accounts?.find(({ id }) => id === xAccountId)?.handle
        const name = handle ? `@${handle}` : 'A disconnected account'
        return (
          <section key={xAccountId} aria-label={name} className="grid grid-cols-1 gap-2">
            <div className="flex flex-wrap items-baseline justify-between gap-x-3">
              <h3 className="min-w-0 truncate font-strong">
                <bdi>{name}</bdi>
              </h3>
              <span data-numeric>{costText(cents)}</span>
            </div>
            <Table
              label={`What X charges for ${name}`}
              narrow="rows"
              columns={[
                'For',
                { name: 'Number', end: true, className: 'w-24' },
                { name: 'Cost', end: true, className: 'w-28' },
              ]}
            >
              {byPurpose.map(({ purpose, count, cents: part }) => (
                <Tr key={`${purpose} ${part === null}`}>
                  <Td>{part === null ? `${PURPOSES[purpose]}, in X Chat` : PURPOSES[purpose]}</Td>
                  <Td label="Number" end data-numeric>
                    {formatNumber(count)}
                  </Td>
                  <Td label="Cost" end data-numeric>
                    {costText(part)}
                  </Td>
                </Tr>
              ))}
            </Table>
          </section>
        )
      })}
    </>
  )
}
