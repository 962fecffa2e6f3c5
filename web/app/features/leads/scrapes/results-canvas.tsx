import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { formatCount, formatMoney, formatNumber } from '@x-automated/contract/format'
import { DEFAULT_MESSAGE } from '@x-automated/contract/leads/lead-limits'
import type { LeadQuery } from '@x-automated/contract/leads/leads'
import type { Scrape } from '@x-automated/contract/leads/scrapes'
import { ListPlus, PenLine, Search } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { api } from '../../../api'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { cn } from '../../../ui/cn'
import { Kbd } from '../../../ui/kbd'
import { Skeleton } from '../../../ui/skeleton'
import { type KeyGroup, useKeys } from '../../../ui/use-keys'
import { useIsOffered } from '../../identity/people/use-role'
import { useLastMessage } from '../leads/use-stored-text'
import { BioWordChips } from './bio-word-chips'
import { FinderBar, Small } from './finder-bar'
import { FollowerHistogram } from './follower-histogram'
import { isWider, widened } from './follower-scale'
import { ResultFaces } from './result-faces'
import { ResultLeads, resultsOptions } from './result-leads'
import { everyoneIn, queryOf, type ResultsFilter } from './results-filter'
import { isInProgress, needsConnection, scrapeTimeLeftText } from './scrape-text'
import { useSaveResults } from './use-save-results'

const FACES = 100

export interface ResultsCanvasProps {
  scrape: Scrape
  /** Whether another scrape can start now. */
  mayStart: boolean
  /** Repeats this scrape with other bounds. */
  onWiden: (scrape: Scrape) => void
  /** Renders the first message to these leads. The page passes it in, because it belongs to outreach. */
  renderMessage: (input: { filter: LeadQuery; message: string; onMessage: (message: string) => void }) => ReactNode
}

/** The leads of a scrape as faces, follower counts and cards, and what can be done with them. */
export function ResultsCanvas({ scrape, mayStart, onWiden, renderMessage }: ResultsCanvasProps) {
  const mayWrite = useIsOffered('member')
  const [filter, setFilter] = useState<ResultsFilter>(() => everyoneIn(scrape))
  const isLive = isInProgress(scrape.status)
  const histogram = useQuery(
    api.scrapes.histogram.queryOptions({
      input: { id: scrape.id },
      enabled: scrape.fetched > 0,
      placeholderData: keepPreviousData,
      refetchInterval: isLive ? 1_000 : false,
    }),
  )
  const faces = useQuery(
    api.leads.list.queryOptions({
      input: { scrapeId: scrape.id, sort: 'createdAt', pageSize: FACES },
      enabled: scrape.matched > 0,
      placeholderData: keepPreviousData,
      refetchInterval: ({ state: { data } }) => (isLive && (data?.leads.length ?? 0) < FACES ? 1_000 : false),
    }),
  )
  const leadsQuery = useQuery(resultsOptions(scrape, 1, filter))
  const { message, ...writing } = useFirstMessage(mayWrite)
  const change = (changed: Partial<ResultsFilter>) => setFilter({ ...filter, ...changed })
  const isFiltered = Object.keys(queryOf(filter, scrape)).length > 0
  const { bins = [], words = [] } = histogram.data ?? {}
  const count = scrape.matched === 0 ? 0 : (leadsQuery.data?.total ?? scrape.matched)
  // Stays true when nobody matches, so that nothing moves.
  const isUsable = count > 0 || (isFiltered && scrape.matched > 0)
  // Wait for both the faces and the histogram, because each would move the parts below. The leads come last.
  if (scrape.matched > 0 && (faces.isPending || histogram.isPending)) return <Skeleton className="h-dvh" />
  return (
    <div className={cn('grid min-w-0 grid-cols-1 gap-8', mayWrite && isUsable && 'lg:grid-cols-[minmax(0,1fr)_18rem]')}>
      <div className="grid min-w-0 content-start gap-8">
        {faces.data && faces.data.leads.length > 0 && (
          <ResultFaces leads={faces.data.leads} total={faces.data.total ?? 0} filter={filter} isLive={isLive} />
        )}
        {bins.some((bin) => bin.count > 0) && (
          <div className="grid gap-3">
            <FollowerHistogram bins={bins} filter={filter} onChange={change} />
            {isWider(filter, scrape) && (
              <Callout
                tone="info"
                action={
                  mayWrite && (
                    <Button
                      size="sm"
                      icon={<Search />}
                      disabled={!mayStart}
                      onClick={() => onWiden({ ...scrape, ...widened(filter, scrape) })}
                    >
                      Scrape this range
                    </Button>
                  )
                }
              >
                {widerText(scrape)}
              </Callout>
            )}
          </div>
        )}
        {words.length > 0 && <BioWordChips words={words} chosen={filter} onChange={change} />}
        <ResultLeads scrape={scrape} filter={filter} />
      </div>
      {mayWrite && isUsable && (
        <div className="min-w-0 self-start lg:sticky lg:top-[calc(var(--spacing-header)+--spacing(4))]">
          {renderMessage({ filter: { scrapeId: scrape.id, ...queryOf(filter, scrape) }, message, ...writing })}
        </div>
      )}
      {(isLive || isUsable) && (
        <ResultsBar scrape={scrape} count={count} isFiltered={isFiltered}>
          {mayWrite && <ResultsActions scrape={scrape} filter={filter} count={count} message={message} />}
        </ResultsBar>
      )}
    </div>
  )
}

/** The last message that this user wrote here, or else the first message of the newest campaign. */
function useFirstMessage(isOffered: boolean) {
  const [stored, keep] = useLastMessage('finderMessage')
  const [typed, setTyped] = useState<string | null>(null)
  const campaigns = useQuery(api.campaigns.list.queryOptions({ input: { pageSize: 1 }, enabled: isOffered }))
  return {
    message: typed ?? stored ?? campaigns.data?.campaigns[0]?.messageTemplate ?? DEFAULT_MESSAGE,
    onMessage(message: string) {
      setTyped(message)
      keep(message.trim() === '' ? null : message)
    },
  }
}

/** 'This scrape kept 100 to 10,000 followers. A wider range takes a new scrape …' */
function widerText({ minFollowers, maxFollowers, estimate, fetched, spentCents }: Scrape): string {
  const boundsText = `This scrape kept people with ${formatNumber(minFollowers)} to ${formatNumber(maxFollowers)} followers.`
  const profiles = estimate?.profiles ?? fetched
  const cost =
    spentCents !== null && fetched > 0
      ? ` and X bills up to ${formatMoney(Math.ceil((spentCents / fetched) * profiles))}`
      : ''
  return `${boundsText} A wider range needs a new scrape: it reads up to ${formatCount(profiles, 'profile')}${cost}.`
}

interface ResultsBarProps {
  scrape: Scrape
  count: number
  isFiltered: boolean
  children: ReactNode
}

/** How many leads match, how long a scrape takes, what X charges and what the plan still allows. */
function ResultsBar({ scrape, count, isFiltered, children }: ResultsBarProps) {
  const isLive = isInProgress(scrape.status)
  const timeLeft = isLive && !needsConnection(scrape) ? scrapeTimeLeftText(scrape) : null
  const matches = (
    <>
      {formatNumber(count)}
      {isFiltered && <Small> of {formatNumber(scrape.matched)}</Small>}
    </>
  )
  const bill = scrape.spentCents !== null && (
    <>
      {formatMoney(scrape.spentCents)}
      {isLive && scrape.estimate?.costCents != null && (
        <Small> of about {formatMoney(scrape.estimate.costCents)}</Small>
      )}
    </>
  )
  return (
    <FinderBar
      label="Leads to use"
      figures={[
        ['Matches', matches],
        ...(timeLeft === null ? [] : [['Time left', timeLeft] as const]),
        ...(bill ? [['X bills', bill] as const] : []),
      ]}
    >
      {children}
    </FinderBar>
  )
}

interface ResultsActionsProps {
  scrape: Scrape
  filter: ResultsFilter
  count: number
  message: string
}

const FINDER_KEYS: readonly KeyGroup[] = [
  {
    title: 'Leads found',
    keys: [
      ['S', 'Save as list'],
      ['W', 'Write to these'],
    ],
  },
]

function ResultsActions({ scrape, filter, count, message }: ResultsActionsProps) {
  const save = useSaveResults(scrape, { query: queryOf(filter, scrape), message })
  const isDisabled = count === 0 || save.isPending
  const run = (next: 'save' | 'write') => () => {
    if (!isDisabled) save.run(next)
  }
  useKeys({ s: run('save'), w: run('write') }, { groups: FINDER_KEYS })
  return (
    <div className="flex flex-wrap gap-2 max-sm:w-full">
      <Button
        size="lg"
        className="max-sm:flex-1"
        icon={<ListPlus />}
        disabled={isDisabled}
        loading={save.isPending && save.variables === 'save'}
        onClick={run('save')}
      >
        Save as list <Kbd>S</Kbd>
      </Button>
      <Button
        variant="primary"
        size="lg"
        className="max-sm:flex-1"
        icon={<PenLine />}
        disabled={isDisabled}
        loading={save.isPending && save.variables === 'write'}
        onClick={run('write')}
      >
        Write to these <Kbd>W</Kbd>
      </Button>
    </div>
  )
}
