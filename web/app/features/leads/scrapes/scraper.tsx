import { useQuery, useQueryClient } from '@tanstack/react-query'
import { formatCount } from '@x-automated/contract/format'
import type { Scrape } from '@x-automated/contract/leads/scrapes'
import { Search } from 'lucide-react'
import { useRef, useState } from 'react'
import { api } from '../../../api'
import { QueryError } from '../../../query-error'
import { cn } from '../../../ui/cn'
import { EmptyState } from '../../../ui/empty-state'
import { LoadingText, Skeleton } from '../../../ui/skeleton'
import { toast } from '../../../ui/toast'
import { useRefresh } from '../../../use-refresh'
import { RoleNotice, VIEWER_TEXT } from '../../identity/people/role-notice'
import { useIsOffered } from '../../identity/people/use-role'
import { RecentScrapes } from './recent-scrapes'
import { ResultsCanvas, type ResultsCanvasProps } from './results-canvas'
import { ScrapeForm } from './scrape-form'
import { ScrapePanel } from './scrape-panel'
import { isInProgress, isSessionError, needsConnection } from './scrape-text'
import { cacheScrape, useLiveScrape } from './use-live-scrape'
import { useLook } from './use-look'
import { useScrapeAgain } from './use-scrape-again'

const RECENT_SIZE = 10

/** The Scraper tab: the form, the current scrape with its leads, and past scrapes. */
export function Scraper({ renderMessage }: Pick<ResultsCanvasProps, 'renderMessage'>) {
  const queries = useQueryClient()
  const refresh = useRefresh()
  const mayWrite = useIsOffered('member')
  const [page, setPage] = useState(1)
  const [chosen, setChosen] = useState<string | null>(null)
  const [askCredentials, setAskCredentials] = useState(false)
  const progress = useRef<HTMLDivElement>(null)
  const form = useRef<HTMLDivElement>(null)
  const newest = useQuery(api.scrapes.list.queryOptions({ input: { page: 1, pageSize: RECENT_SIZE } }))
  const running = newest.data?.scrapes.find((scrape) => isInProgress(scrape.status))
  // After a reload, shows the running scrape or else the latest one.
  const watched = chosen ?? running?.id ?? newest.data?.scrapes[0]?.id ?? null

  const finish = (scrape: Scrape) => {
    void refresh(api.leads, api.scrapes.list, api.scrapes.estimate, api.billing.overview)
    if (scrape.status === 'completed')
      toast.success(
        scrape.twitterHandle
          ? `Successfully scraped ${scrape.matched} ${scrape.type} from @${scrape.twitterHandle}`
          : `Successfully scraped ${formatCount(scrape.matched, 'lead')}`,
      )
    // The scrape below shows why it failed.
    if (scrape.status === 'failed' && isSessionError({ message: scrape.error ?? '' })) setAskCredentials(true)
  }
  const live = useLiveScrape(watched, finish)
  const look = useLook()
  const start = (scrape: Scrape) => {
    look.reset()
    setChosen(scrape.id)
    setPage(1)
    cacheScrape(queries, scrape)
    void refresh(api.scrapes.list)
    requestAnimationFrame(() => progress.current?.scrollIntoView({ block: 'nearest' }))
  }
  const askForAnother = () => {
    const handle = form.current?.querySelector<HTMLInputElement | HTMLTextAreaElement>(
      ':is([name="handle"], [name="postUrl"], [name="listUrl"], [name="handles"])',
    )
    handle?.focus()
    handle?.select()
  }
  const scrape = live.data
  const current = scrape && isInProgress(scrape.status) ? scrape : running
  // A look takes the place of earlier results, but not of a scrape in progress.
  const isLooking = (look.isPending || look.data !== undefined) && !(scrape && isInProgress(scrape.status))
  const busy = current ? (needsConnection(current) ? 'disconnected' : 'running') : false

  const again = useScrapeAgain({ onStarted: start, onAskCredentials: () => setAskCredentials(true) })

  return (
    <div className="grid gap-10">
      <div className="flex flex-col gap-8">
        {mayWrite ? (
          <div ref={form}>
            <ScrapeForm
              busy={busy}
              hasResults={!isLooking && scrape !== undefined && scrape.matched > 0}
              askCredentials={askCredentials}
              onAskCredentials={setAskCredentials}
              onStarted={start}
              look={look}
            />
          </div>
        ) : (
          <RoleNotice needs="member">{VIEWER_TEXT}</RoleNotice>
        )}
        {/* On narrow screens a running scrape comes before the form. */}
        <div
          ref={progress}
          className={cn('grid min-w-0 gap-8', scrape && isInProgress(scrape.status) && 'max-lg:order-first')}
        >
          {isLooking ? null : scrape ? (
            <>
              <ScrapePanel scrape={scrape} onChanged={start} onAnother={askForAnother} />
              <ResultsCanvas
                key={scrape.id}
                scrape={scrape}
                mayStart={busy === false && !again.isPending}
                onWiden={again.mutate}
                renderMessage={renderMessage}
              />
            </>
          ) : live.isError || newest.isError ? (
            <QueryError query={newest.isError ? newest : live} />
          ) : newest.isSuccess && watched === null ? (
            <EmptyState icon={<Search />} title="No scrapes yet">
              Enter a handle to look at its followers, then save those who match your filters.
            </EmptyState>
          ) : (
            <>
              <LoadingText>Loading your scrapes…</LoadingText>
              <Skeleton className="h-dvh" />
            </>
          )}
        </div>
      </div>
      <RecentScrapes
        page={page}
        pageSize={RECENT_SIZE}
        onPage={setPage}
        currentId={watched}
        onShow={(id) => {
          look.reset()
          setChosen(id)
        }}
        busy={busy !== false}
        onStarted={start}
        onAskCredentials={() => setAskCredentials(true)}
      />
    </div>
  )
}
