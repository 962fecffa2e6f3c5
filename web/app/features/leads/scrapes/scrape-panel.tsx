import { useQuery, useQueryClient } from '@tanstack/react-query'
import { formatCount, formatDate, formatMoney, formatNumber } from '@x-automated/contract/format'
import type { Scrape } from '@x-automated/contract/leads/scrapes'
import { AtSign, CircleStop, RotateCw } from 'lucide-react'
import { useEffect, useState } from 'react'
import { api, client } from '../../../api'
import { Badge, StatusBadge } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Progress } from '../../../ui/progress'
import { toast } from '../../../ui/toast'
import { useAction } from '../../../use-action'
import { useIsOffered } from '../../identity/people/use-role'
import { SeePlans } from '../../platform/billing/usage-notice'
import { Reconnect } from './reconnect'
import { isInProgress, needsConnection, roughDurationText, scrapeFilter, scrapeTitle } from './scrape-text'
import { cacheScrape } from './use-live-scrape'

interface ScrapePanelProps {
  scrape: Scrape
  /** Called after the scrape has been resumed. */
  onChanged: (scrape: Scrape) => void
  /** Called when the user wants to scrape something else. */
  onAnother: () => void
}

/** One scrape: its filter, progress and time left, with buttons to cancel or resume it. */
export function ScrapePanel({ scrape, onChanged, onAnother }: ScrapePanelProps) {
  const inProgress = isInProgress(scrape.status)
  const mayWrite = useIsOffered('member')
  return (
    <section
      aria-label={scrapeTitle(scrape)}
      className="grid gap-4 border-t border-line pt-6"
      aria-busy={inProgress && !needsConnection(scrape)}
    >
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="flex min-w-0 flex-wrap items-baseline gap-x-3 gap-y-1">
          <h2 className="text-base wrap-anywhere">{scrapeTitle(scrape)}</h2>
          <p className="text-muted wrap-anywhere">{scrapeFilter(scrape)}</p>
        </div>
        <div className="flex flex-wrap items-center gap-2">
          <ScrapeStatus scrape={scrape} />
          {mayWrite && inProgress && <Cancel scrape={scrape} />}
          {mayWrite && scrape.isResumable && <Resume scrape={scrape} onResumed={onChanged} />}
          {mayWrite && scrape.status === 'failed' && !scrape.isResumable && (
            <Button size="sm" icon={<AtSign />} onClick={onAnother}>
              Try another
            </Button>
          )}
        </div>
      </div>
      {inProgress ? <ScrapeProgress scrape={scrape} /> : <ScrapeResult scrape={scrape} />}
    </section>
  )
}

function ScrapeProgress({ scrape }: { scrape: Scrape }) {
  const { estimate, fetched } = scrape
  const read = formatNumber(fetched)
  const lost = needsConnection(scrape)
  return (
    <>
      <p role="status" className="font-strong">
        {lost
          ? 'Waiting for your X account'
          : scrape.status === 'waiting'
            ? 'Waiting for X'
            : 'Scraping X profiles... This may take a minute.'}
      </p>
      {lost ? (
        <Reconnect reason={scrape.error} />
      ) : (
        scrape.status === 'waiting' &&
        scrape.resumesAt !== null && <Waiting resumesAt={scrape.resumesAt} reason={scrape.error} />
      )}
      {/* Without an estimate, the bar would animate although nothing is running. */}
      {(!lost || estimate) && (
        <Progress
          label={<span className="font-normal text-muted">Profiles read</span>}
          value={estimate ? fetched : null}
          max={Math.max(1, estimate?.profiles ?? 1)}
          detail={estimate ? `${read} of ${formatNumber(estimate.profiles)}` : read}
        />
      )}
      <p className="text-xs text-muted">
        {lost
          ? 'Paused until an X account is connected. We kept the leads found so far.'
          : 'The scrape keeps running. Come back any time.'}
      </p>
    </>
  )
}

/** A scrape's status, or that the plan's limit stopped the scrape. */
export function ScrapeStatus({ scrape: { status, stoppedBy } }: { scrape: Scrape }) {
  if (stoppedBy === 'PLAN_LIMIT') return <Badge tone="warn">Stopped at plan limit</Badge>
  return <StatusBadge status={status} />
}

/** Says that the scrape waits for X's rate limit, or for X to respond. @param resumesAt ISO 8601 */
function Waiting({ resumesAt, reason }: { resumesAt: string; reason: string | null }) {
  const nowMs = useNow()
  const seconds = Math.max(0, (Date.parse(resumesAt) - nowMs) / 1000)
  return (
    <Callout tone="warn" title={reason ?? "X's rate limit is reached."}>
      Continues at{' '}
      <time dateTime={resumesAt}>
        {formatDate(resumesAt, { hour: 'numeric', minute: '2-digit', second: '2-digit' })}
      </time>
      , in {roughDurationText(seconds)}.
    </Callout>
  )
}

function useNow(): number {
  const [nowMs, setNowMs] = useState(() => Date.now())
  useEffect(() => {
    const ticking = setInterval(() => setNowMs(Date.now()), 1000)
    return () => clearInterval(ticking)
  }, [])
  return nowMs
}

function ScrapeResult({ scrape }: { scrape: Scrape }) {
  return (
    <>
      {scrape.stoppedBy === 'PLAN_LIMIT' && <StoppedByPlan scrape={scrape} />}
      {scrape.status === 'failed' && <Callout tone="bad">{scrape.error || 'Failed to scrape X followers'}</Callout>}
      <div className="flex flex-wrap items-center gap-3">
        <Badge>{formatNumber(scrape.matched)} leads found</Badge>
        <p className="text-muted" data-numeric>
          from {formatCount(scrape.fetched, 'profile')}
          {scrape.spentCents !== null && ` · X bills ${formatMoney(scrape.spentCents)}`}
        </p>
      </div>
    </>
  )
}

/** Says what stopped the scrape and, after an upgrade, that it can continue. */
function StoppedByPlan({ scrape }: { scrape: Scrape }) {
  const overview = useQuery(api.billing.overview.queryOptions())
  const usage = overview.data?.usage.find(({ what }) => what === 'scrapedLeads')
  if (usage && (usage.limit === null || usage.used < usage.limit))
    return (
      <Callout tone="info" title="Your plan has room again">
        Resume the scrape to find more leads.
      </Callout>
    )
  return (
    <Callout tone="warn" title="Stopped at your plan's limit" action={<SeePlans />}>
      {scrape.error} Resume the scrape after an upgrade.
    </Callout>
  )
}

function Cancel({ scrape }: { scrape: Scrape }) {
  const queries = useQueryClient()
  const cancel = useAction(() => client.scrapes.cancel({ id: scrape.id }), {
    onSuccess(canceled) {
      cacheScrape(queries, canceled)
      toast.info('Scrape canceled. We kept the leads found so far.')
    },
    refetches: [api.scrapes, api.leads],
  })
  return (
    <Button size="sm" icon={<CircleStop />} loading={cancel.isPending} onClick={() => cancel.run()}>
      Cancel
    </Button>
  )
}

function Resume({ scrape, onResumed }: { scrape: Scrape; onResumed: (scrape: Scrape) => void }) {
  const resume = useAction(() => client.scrapes.resume({ id: scrape.id }), { onSuccess: onResumed })
  return (
    <Button size="sm" icon={<RotateCw />} loading={resume.isPending} onClick={() => resume.run()}>
      Resume
    </Button>
  )
}
