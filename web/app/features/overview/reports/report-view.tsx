import { formatDate, formatNumber, formatPercent } from '@x-automated/contract/format'
import { REPORT_CAMPAIGNS_MAX, REPORT_PEOPLE_MAX } from '@x-automated/contract/overview/report-limits'
import type { SharedReport, Totals } from '@x-automated/contract/overview/reports'
import { LABEL_NAMES } from '@x-automated/contract/reply-labels'
import { Printer } from 'lucide-react'
import type { ReactNode } from 'react'
import { useEffect, useState } from 'react'
import { flushSync } from 'react-dom'
import { Button } from '../../../ui/button'
import { DateTime } from '../../../ui/date-time'
import { LazyChart } from '../../../ui/lazy-chart'
import { StatCard } from '../../../ui/stat-card'
import { Table, Td, Tr } from '../../../ui/table'
import { stepName } from '../../outreach/sequences/step-text'
import { BrandBand } from '../../platform/branding/brand-band'
import { shapeColor } from '../../platform/branding/brand-color'
import { XHandle } from '../../platform/x-account/x-handle'

type Campaign = SharedReport['campaigns'][number]

/** A client report, with the workspace's name, logo and color. */
export function ReportView({ report }: { report: SharedReport }) {
  const { title, workspace, totals, days, campaigns, people, kind } = report
  return (
    <>
      <BrandBand {...workspace} className="mx-auto max-w-3xl px-4 py-8 lg:px-0 print:px-6 print:py-6">
        <div className="flex flex-wrap items-end justify-between gap-4">
          <div className="grid min-w-0 gap-1">
            <h1 className="text-3xl wrap-anywhere">
              <bdi>{title}</bdi>
            </h1>
            <p>{periodText(report)}</p>
          </div>
          <Button className="print:hidden" icon={<Printer aria-hidden />} onClick={() => print()}>
            Print
          </Button>
        </div>
      </BrandBand>
      <div className="mx-auto grid w-full max-w-3xl grid-cols-1 gap-10 px-4 py-8 md:py-10 lg:px-0 print:px-0 print:py-6">
        <Figures totals={totals} />
        <section
          aria-labelledby="days"
          className="grid grid-cols-1 gap-3 print:break-inside-avoid"
          // The color of the chart's bars replaces our accent.
          style={{ '--color-accent-pressed': workspace.color ? shapeColor(workspace.color) : 'var(--color-ink)' }}
        >
          <h2 id="days" className="text-lg">
            Messages by day
          </h2>
          <LazyChart
            label="Messages by day"
            days={days}
            series={[
              { key: 'sent', label: 'Sent', tone: 'quiet' },
              { key: 'replied', label: 'Replied' },
            ]}
            extra={{
              label: 'Positive',
              value: (day) => formatNumber(days.find((entry) => entry.day === day.day)?.positive ?? 0),
            }}
          />
        </section>
        <Campaigns campaigns={campaigns} isOne={kind === 'campaign'} />
        {people && <People people={people} />}
        <p className="border-t border-line pt-4 text-muted">
          Replies count on the day of the message that they answer; automatic replies do not count. Figures are at most
          5 minutes old.
        </p>
      </div>
    </>
  )
}

function Figures({ totals }: { totals: Totals }) {
  const share = (part: number) =>
    totals.peopleMessaged > 0 ? `${formatPercent(part / totals.peopleMessaged, 1)} of people messaged` : undefined
  return (
    <dl className="grid grid-cols-2 gap-x-6 gap-y-5 sm:grid-cols-3 print:grid-cols-3">
      <StatCard label="People messaged" value={totals.peopleMessaged} />
      <StatCard label="People replied" value={totals.peopleReplied} hint={share(totals.peopleReplied)} />
      <StatCard label="Positive" value={totals.peoplePositive} hint={share(totals.peoplePositive)} />
      <StatCard label="Messages sent" value={totals.messagesSent} />
      <StatCard label="Messages read" value={totals.read} hint="As reported by X" />
      <StatCard label="Opted out" value={totals.optedOut} hint={share(totals.optedOut)} />
    </dl>
  )
}

const stepColumns = [
  'Message',
  ...['Sent', 'Read', 'Replied', 'Positive', 'Opted out'].map((name) => ({ name, end: true })),
]

function Campaigns({ campaigns, isOne: isSingleCampaign }: { campaigns: readonly Campaign[]; isOne: boolean }) {
  if (campaigns.length === 0)
    return (
      <ReportSection id="campaigns" title="Campaigns">
        <p className="text-muted">No messages were sent in this period.</p>
      </ReportSection>
    )
  if (isSingleCampaign)
    return (
      <ReportSection id="campaigns" title="Messages">
        {campaigns.map((campaign, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: campaigns have no ids here, and never move
          <Steps key={index} campaign={campaign} />
        ))}
      </ReportSection>
    )
  return (
    <ReportSection id="campaigns" title="Campaigns">
      {campaigns.length === REPORT_CAMPAIGNS_MAX && (
        <p className="text-muted">The {REPORT_CAMPAIGNS_MAX} campaigns with the most messages.</p>
      )}
      {campaigns.map((campaign, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: as above
        <div key={index} className="grid grid-cols-1 gap-2 pt-2">
          <h3 className="text-base wrap-anywhere print:break-after-avoid">
            <bdi>{campaign.name}</bdi>
          </h3>
          <p className="text-muted" data-numeric>
            {formatNumber(campaign.totals.peopleMessaged)} messaged · {formatNumber(campaign.totals.peopleReplied)}{' '}
            replied · {formatNumber(campaign.totals.peoplePositive)} positive
          </p>
          <Steps campaign={campaign} />
        </div>
      ))}
    </ReportSection>
  )
}

/** The results of each step and, if there are several, of each variant. */
function Steps({ campaign: { name, steps } }: { campaign: Campaign }) {
  const printing = usePrinting()
  const count = steps.filter(({ kind }) => kind === 'step').length
  return (
    <Table label={`Messages of ${name}`} narrow={printing ? 'rows' : 'cards'} columns={stepColumns}>
      {steps.flatMap(({ number, kind, variants }) =>
        variants.map((variant) => {
          const step = kind === 'reengagement' ? 'Re-engagement' : stepName(number - 1, count)
          return (
            <Tr key={`${number} ${variant.name}`}>
              <Td className="wrap-anywhere max-md:font-strong">
                {variants.length > 1 ? `${step}, variant ${variant.name}` : step}
              </Td>
              <Count label="Sent" value={variant.sent} />
              <Count label="Read" value={variant.read} />
              <Count label="Replied" value={variant.replied} />
              <Count label="Positive" value={variant.positive} />
              <Count label="Opted out" value={variant.optedOut} />
            </Tr>
          )
        }),
      )}
    </Table>
  )
}

function Count({ label, value }: { label: string; value: number }) {
  return (
    <Td label={label} end data-numeric>
      {formatNumber(value)}
    </Td>
  )
}

function People({ people }: { people: NonNullable<SharedReport['people']> }) {
  const printing = usePrinting()
  return (
    <ReportSection id="people" title="People who replied">
      {people.length === REPORT_PEOPLE_MAX && <p className="text-muted">The latest {REPORT_PEOPLE_MAX}.</p>}
      {people.length === 0 ? (
        <p className="text-muted">Nobody has replied yet.</p>
      ) : (
        <Table
          label="People who replied"
          narrow={printing ? 'rows' : 'cards'}
          columns={['Name', 'Handle', 'Reply', { name: 'Replied on', end: true }]}
        >
          {people.map(({ name, twitterHandle, label, repliedAt }) => (
            <Tr key={twitterHandle}>
              <Td className="wrap-anywhere">
                <bdi>{name || `@${twitterHandle}`}</bdi>
              </Td>
              <Td label="Handle">
                <XHandle handle={twitterHandle} />
              </Td>
              <Td label="Reply">{label ? LABEL_NAMES[label] : '–'}</Td>
              <Td label="Replied on" end>
                <DateTime value={repliedAt} precision="day" />
              </Td>
            </Tr>
          ))}
        </Table>
      )}
    </ReportSection>
  )
}

function ReportSection({ id, title, children }: { id: string; title: string; children: ReactNode }) {
  return (
    <section aria-labelledby={id} className="grid grid-cols-1 gap-3">
      <h2 id={id} className="text-lg print:break-after-avoid">
        {title}
      </h2>
      {children}
    </section>
  )
}

/** The first and the last day of a report. */
export function periodText({ from, to }: { from: string; to: string }): string {
  const day = (value: string) => formatDate(value, { dateStyle: 'long', timeZone: 'UTC' })
  return from === to ? day(from) : `${day(from)} to ${day(to)}`
}

/** Whether the page is being printed. Media queries treat paper as narrow, but tables fit on it. */
function usePrinting(): boolean {
  const [printing, setPrinting] = useState(false)
  useEffect(() => {
    // When the listeners return, the browser prints the page as it is.
    const start = () => flushSync(() => setPrinting(true))
    const end = () => setPrinting(false)
    addEventListener('beforeprint', start)
    addEventListener('afterprint', end)
    return () => {
      removeEventListener('beforeprint', start)
      removeEventListener('afterprint', end)
    }
  }, [])
  return printing
}
