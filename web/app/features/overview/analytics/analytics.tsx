import { useQuery } from '@tanstack/react-query'
import { formatCount, formatDay, formatNumber, formatPercent } from '@x-automated/contract/format'
import type { Analytics as Figures } from '@x-automated/contract/overview/analytics'
import { ChartColumn, MessageSquareReply } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { api, refusalText } from '../../../api'
import { paths } from '../../../paths'
import { QueryError } from '../../../query-error'
import { ButtonLink } from '../../../ui/button'
import { DateTime } from '../../../ui/date-time'
import { EmptyState } from '../../../ui/empty-state'
import { Field } from '../../../ui/field'
import { Input } from '../../../ui/input'
import { LazyChart } from '../../../ui/lazy-chart'
import { Select } from '../../../ui/select'
import { LoadingText, Skeleton } from '../../../ui/skeleton'
import { StatCard } from '../../../ui/stat-card'
import { Table, Td, Tr } from '../../../ui/table'
import { allCampaigns, CAMPAIGN_NAMES } from '../../outreach/campaigns/all-campaigns'
import { useAccounts } from '../../platform/x-account/use-accounts'
import { XHandle } from '../../platform/x-account/x-handle'
import { ClientReports } from '../reports/client-reports'
import { AdvancedAnalytics } from './advanced-analytics'
import { durationText } from './comparison-text'
import { daysBefore, daysOf, daysProblem, RANGES, type RangeValue } from './range'

const FAILURE = 'Failed to load analytics data. Please try again.'
const POLL_EVERY_MS = 15_000
/** Why there is no click rate, and what would measure it. */
const NOT_MEASURED =
  'Not measured: X reports no clicks, and we leave your links as they are. Links with UTM parameters show clicks in your own analytics.'
const NAMES_STALE_MS = 60_000

/** The Analytics tab: totals, rates, daily activity and the latest replies. */
export function Analytics() {
  const [range, setRange] = useState<RangeValue>('all')
  const [campaignId, setCampaignId] = useState('all')
  const [timeZone, setTimeZone] = useState('UTC')
  const today = formatDay(new Date(), timeZone)
  const [custom, setCustom] = useState({ from: daysBefore(today, 6), to: today })
  const problem = range === 'custom' ? daysProblem(custom) : null
  const campaigns = useQuery({
    queryKey: CAMPAIGN_NAMES,
    staleTime: NAMES_STALE_MS,
    queryFn: ({ signal }) => allCampaigns(signal),
  })
  const days = daysOf(range, today, custom)
  const query = useQuery(
    api.analytics.find.queryOptions({
      input: { ...days, ...(campaignId === 'all' ? {} : { campaignId }) },
      enabled: problem === null,
      placeholderData: (old) => old,
      refetchInterval: POLL_EVERY_MS,
    }),
  )
  const figures = query.data
  if (figures && figures.timeZone !== timeZone) setTimeZone(figures.timeZone)

  const failure = query.isError && (
    <QueryError query={query} tone={figures ? 'warn' : 'bad'}>
      {refusalText(query.error, FAILURE)}
    </QueryError>
  )
  if (failure && !figures) return failure
  const isEverything = range === 'all' && campaignId === 'all'
  if (figures && isEverything && !query.isPlaceholderData && figures.leadsCount === 0 && figures.messagesSent === 0)
    return <NothingYet />
  return (
    <div className="grid grid-cols-1 gap-6" aria-busy={query.isPlaceholderData || undefined}>
      {failure}
      {query.isPending && <LoadingText>Loading analytics…</LoadingText>}
      <div className="grid grid-cols-2 gap-2 sm:flex sm:flex-wrap sm:items-end">
        <Field label="Campaign" hideLabel className="sm:w-64">
          <Select
            value={campaignId}
            onChange={(event) => setCampaignId(event.currentTarget.value)}
            options={[
              { value: 'all', label: 'All campaigns' },
              { value: 'direct', label: 'Direct messages' },
              ...(campaigns.data?.map(({ id, name }) => ({ value: id, label: name })) ?? []),
            ]}
          />
        </Field>
        <Field label="Time" hideLabel className="sm:w-44">
          <Select
            value={range}
            onChange={(event) => setRange(event.currentTarget.value as RangeValue)}
            options={RANGES}
          />
        </Field>
        {range === 'custom' && (
          <>
            <Field label="First day" error={problem ?? undefined} className="sm:w-44">
              <Input
                type="date"
                max={today}
                value={custom.from}
                onChange={(event) => setCustom({ ...custom, from: event.currentTarget.value })}
              />
            </Field>
            <Field label="Last day" className="sm:w-44">
              <Input
                type="date"
                max={today}
                value={custom.to}
                onChange={(event) => setCustom({ ...custom, to: event.currentTarget.value })}
              />
            </Field>
          </>
        )}
      </div>
      <div className="grid gap-x-12 gap-y-6 border-t border-line pt-6 lg:grid-cols-[14rem_minmax(0,1fr)]">
        <dl>
          <div>
            <dt className="text-muted">Reply Rate</dt>
            <dd className="py-1 text-5xl font-strong" data-numeric>
              {figures ? (rate(figures, 'replyRate') ?? '–') : <Skeleton className="h-16 w-36" />}
            </dd>
            <dd className="text-muted" data-numeric>
              {figures &&
                `${formatCount(figures.replies, 'reply', 'replies')} to ${formatCount(figures.messagesSent, 'message')}`}
            </dd>
          </div>
        </dl>
        <dl className="grid grid-cols-2 gap-x-6 gap-y-5 *:border-0 *:p-0 sm:grid-cols-3">
          <StatCard
            label="Total Leads"
            value={figures?.leadsCount}
            hint={campaignId === 'all' ? 'In this workspace' : 'Queued here'}
          />
          <StatCard label="Messages Sent" value={figures?.messagesSent} hint="Accepted by X" />
          <StatCard
            label="Messages Delivered"
            value={figures?.messagesDelivered}
            hint={
              figures && figures.messagesDelivered === 0 && figures.messagesSent > 0
                ? 'X has reported none yet. It reports them for accounts whose replies are detected live.'
                : 'As reported by X'
            }
          />
          <StatCard label="Replies" value={figures?.replies} />
          <StatCard
            label="Positive Replies"
            value={figures?.positiveReplies}
            hint="Interest, a meeting or a question"
          />
          <StatCard
            label="Positive Reply Rate"
            value={rate(figures, 'positiveReplyRate')}
            hint="Positive replies ÷ messages sent"
          />
          <StatCard
            label="Time to Answer"
            value={figures && durationText(figures.medianAnswerSeconds)}
            hint={figures?.medianAnswerSeconds === null ? 'No answers yet' : 'Half of your answers came faster'}
          />
          <StatCard label="Click Rate" value={rate(figures, 'clickRate')} hint={NOT_MEASURED} />
          <StatCard label="Conversion Rate" value={rate(figures, 'conversionRate')} hint="Replies ÷ leads" />
        </dl>
      </div>
      {figures && isEverything && figures.messagesSent === 0 ? (
        <NothingYet />
      ) : (
        <>
          <section aria-labelledby="weekly" className="grid gap-3">
            <div className="grid gap-0.5">
              <h2 id="weekly" className="text-base">
                Weekly Activity
              </h2>
              <p className="text-muted">
                {range === 'all' ? 'Last 7 days. ' : ''}By send date ({timeZone}).
              </p>
            </div>
            <LazyChart
              label="Messages by day"
              days={figures?.series}
              series={[
                { key: 'sent', label: 'Sent', tone: 'quiet' },
                { key: 'replied', label: 'Replied' },
              ]}
              extra={{ label: 'Delivered', value: (day) => deliveredOn(figures, day.day) }}
            />
          </section>
          <TopLeads leads={figures?.topPerformingLeads} />
          {figures && problem === null && <AdvancedAnalytics campaignId={campaignId} days={days} />}
        </>
      )}
      {figures && <ClientReports />}
    </div>
  )
}

function rate(figures: Figures | undefined, name: 'replyRate' | 'positiveReplyRate' | 'clickRate' | 'conversionRate') {
  const value = figures?.[name]
  return typeof value === 'number' ? formatPercent(value / 100, 1) : value
}

function deliveredOn(figures: Figures | undefined, day: string): string {
  return formatNumber(figures?.series.find((row) => row.day === day)?.delivered ?? 0)
}

function NothingYet() {
  const accounts = useAccounts().data?.accounts
  const isConnected = accounts?.some(({ status }) => status === 'connected')
  return (
    <EmptyState
      icon={<ChartColumn aria-hidden />}
      title="No analytics data available. Start by connecting your X account and sending messages."
      action={
        isConnected ? (
          <ButtonLink to={`${paths.xAutomation}?tab=messenger`}>Open X Messenger</ButtonLink>
        ) : (
          <ButtonLink to={paths.xAutomation}>Connect X</ButtonLink>
        )
      }
    />
  )
}

function TopLeads({ leads }: { leads: Figures['topPerformingLeads'] | undefined }) {
  return (
    <section aria-labelledby="top-leads" className="grid gap-3">
      <h2 id="top-leads" className="text-base">
        Top Performing Leads
      </h2>
      {leads === undefined ? (
        <Skeleton className="h-40" />
      ) : leads.length === 0 ? (
        <EmptyState icon={<MessageSquareReply aria-hidden />} title="No replies yet">
          Leads who reply appear here, newest first.
        </EmptyState>
      ) : (
        <Table label="Top Performing Leads" columns={['Handle', 'Name', { name: 'Replied on', end: true }]}>
          {leads.map(({ handle, name, repliedAt }) => (
            <Tr key={handle}>
              <Td>
                <XHandle handle={handle} />
              </Td>
              <Td label="Name">
                <Link
                  to={`${paths.leads}?keyword=${encodeURIComponent(handle)}`}
                  className="rounded-sm underline-offset-4 hover:underline"
                >
                  <bdi>{name || `@${handle}`}</bdi>
                </Link>
              </Td>
              <Td label="Replied on" end>
                <DateTime value={repliedAt} />
              </Td>
            </Tr>
          ))}
        </Table>
      )}
    </section>
  )
}
