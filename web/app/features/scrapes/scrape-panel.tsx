import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Scrape } from '@x-automated/contract/scrapes'
import { AtSign, CircleStop, RotateCw } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { api, errorText } from '../../api'
import { Badge, StatusBadge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { Progress } from '../../ui/progress'
import { toast } from '../../ui/toast'
import { SeePlans } from '../billing/usage-notice'
import { useIsOffered } from '../settings/use-role'
import { Reconnect } from './reconnect'
import {
  isInProgress,
  moneyWords,
  needsConnection,
  scrapeFilter,
  scrapeTitle,
  timeLeftOf,
  timeLeftText,
} from './scrape-text'
import { cacheScrape } from './use-live-scrape'

export interface ScrapePanelProps {
  scrape: Scrape
  /** It goes on again. */
  onChanged: (scrape: Scrape) => void
  /** Somebody else is to be looked for. */
  onAnother: () => void
}

/** One scrape: what it looks for, how far it is, how long it will still take, and the way to stop it. */
export function ScrapePanel({ scrape, onChanged, onAnother }: ScrapePanelProps) {
  const underWay = isInProgress(scrape.status)
  const mayWrite = useIsOffered('member')
  return (
    <section
      aria-label={scrapeTitle(scrape)}
      className="grid gap-4 rounded-lg border border-line bg-surface p-5"
      aria-busy={underWay && !needsConnection(scrape)}
    >
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="grid min-w-0 gap-1">
          <h2 className="text-base wrap-anywhere">{scrapeTitle(scrape)}</h2>
          <p className="text-muted wrap-anywhere">{scrapeFilter(scrape)}</p>
        </div>
        <div className="flex flex-wrap items-center gap-2">
          <StatusBadge status={scrape.status} />
          {mayWrite && underWay && <Cancel scrape={scrape} />}
          {mayWrite && scrape.isResumable && <Resume scrape={scrape} onResumed={onChanged} />}
          {mayWrite && scrape.status === 'failed' && !scrape.isResumable && (
            <Button size="sm" icon={<AtSign aria-hidden />} onClick={onAnother}>
              Try another handle
            </Button>
          )}
        </div>
      </div>
      {underWay ? <UnderWay scrape={scrape} /> : <Ended scrape={scrape} />}
    </section>
  )
}

function UnderWay({ scrape }: { scrape: Scrape }) {
  const { estimate, fetched } = scrape
  const read = fetched.toLocaleString('en-US')
  const lost = needsConnection(scrape)
  const timeLeft = timeLeftOf(scrape)
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
      {/* Without an end in sight it would move, and nothing does. */}
      {(!lost || estimate) && (
        <Progress
          label={<span className="font-normal text-muted">Profiles read</span>}
          value={estimate ? fetched : null}
          max={Math.max(1, estimate?.profiles ?? 1)}
          detail={estimate ? `${read} of ${estimate.profiles.toLocaleString('en-US')}` : read}
        />
      )}
      <dl className="grid grid-cols-2 gap-x-6 gap-y-1 sm:flex">
        <Figure name="Leads found">{scrape.matched.toLocaleString('en-US')}</Figure>
        {timeLeft !== null && <Figure name="Time left">{timeLeft}</Figure>}
        {scrape.spentCents !== null && (
          <Figure name="X bills">
            {moneyWords(scrape.spentCents)}
            {estimate?.costCents != null && (
              <span className="text-sm font-normal text-muted"> of about {moneyWords(estimate.costCents)}</span>
            )}
          </Figure>
        )}
      </dl>
      <p className="text-xs text-muted">
        {lost
          ? 'Nothing more is read until an X account is connected. The leads found so far are kept.'
          : 'You can close this tab. The scrape goes on, and is here when you open it again.'}
      </p>
    </>
  )
}

function Figure({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid gap-0.5 sm:min-w-32">
      <dt className="text-muted">{name}</dt>
      <dd className="text-lg font-strong" data-numeric>
        {children}
      </dd>
    </div>
  )
}

/** For X's rate limit, or for X to answer. @param resumesAt ISO 8601 */
function Waiting({ resumesAt, reason }: { resumesAt: string; reason: string | null }) {
  const nowMs = useNow()
  const at = new Date(resumesAt)
  const seconds = Math.max(0, (at.getTime() - nowMs) / 1000)
  return (
    <Callout tone="warn" title={reason ?? "X's rate limit is reached."}>
      Continues at{' '}
      <time dateTime={resumesAt}>
        {at.toLocaleTimeString('en-US', { hour: 'numeric', minute: '2-digit', second: '2-digit' })}
      </time>
      , in {timeLeftText(seconds)}.
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

function Ended({ scrape }: { scrape: Scrape }) {
  return (
    <>
      {scrape.stoppedBy === 'PLAN_LIMIT' && (
        <Callout tone="warn" title="Stopped at what your plan allows" action={<SeePlans />}>
          {scrape.error} Resume the scrape once your plan allows more.
        </Callout>
      )}
      {scrape.status === 'failed' && <Callout tone="bad">{scrape.error || 'Failed to scrape X followers'}</Callout>}
      <div className="flex flex-wrap items-center gap-3">
        <Badge tone={scrape.matched > 0 ? 'accent' : 'neutral'}>
          {scrape.matched.toLocaleString('en-US')} leads found
        </Badge>
        <p className="text-muted" data-numeric>
          among {scrape.fetched.toLocaleString('en-US')} profiles
          {scrape.spentCents !== null && `, for which X bills ${moneyWords(scrape.spentCents)}`}
        </p>
      </div>
    </>
  )
}

function Cancel({ scrape }: { scrape: Scrape }) {
  const queries = useQueryClient()
  const cancel = useMutation(
    api.scrapes.cancel.mutationOptions({
      onSuccess: (canceled) => {
        cacheScrape(queries, canceled)
        void queries.invalidateQueries({ queryKey: api.scrapes.key() })
        void queries.invalidateQueries({ queryKey: api.leads.key() })
        toast.info('Scrape canceled. The leads found so far are kept.')
      },
      onError: (error) => {
        void queries.invalidateQueries({ queryKey: api.scrapes.key() })
        toast.error(errorText(error))
      },
    }),
  )
  return (
    <Button
      size="sm"
      icon={<CircleStop aria-hidden />}
      loading={cancel.isPending}
      onClick={() => cancel.mutate({ id: scrape.id })}
    >
      Cancel
    </Button>
  )
}

function Resume({ scrape, onResumed }: { scrape: Scrape; onResumed: (scrape: Scrape) => void }) {
  const resume = useMutation(
    api.scrapes.resume.mutationOptions({
      onSuccess: onResumed,
      onError: (error) => toast.error(errorText(error)),
    }),
  )
  return (
    <Button
      size="sm"
      icon={<RotateCw aria-hidden />}
      loading={resume.isPending}
      onClick={() => resume.mutate({ id: scrape.id })}
    >
      Resume
    </Button>
  )
}
