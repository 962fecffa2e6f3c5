import type { Query, QueryClient } from '@tanstack/react-query'
import type { ChangeEvent, EventKind } from '@x-automated/contract/platform/events'
import type { LiveHandlers } from './live-events'
import { ProductQueryClient } from './query-client'

const ofCampaigns = [
  'campaigns.list',
  'campaigns.find',
  'campaigns.dms',
  'sequences.flight',
  'sequences.results',
  'enrollments.list',
  'leads.list',
  'leads.count',
  'leads.history',
  'lists.find',
  'lists.leads',
  'openers.list',
  'sendingSettings.find',
  'templates.list',
  'xAccount.list',
  'analytics.find',
  'analytics.breakdown',
  'analytics.heatmap',
  'today.find',
  'firstSteps.find',
]

/** Queries on screen that each kind of event refetches. */
const AFFECTED: Record<EventKind, readonly string[]> = {
  campaign: ofCampaigns,
  conversation: ['conversations.list', 'conversations.find', 'conversationOffers.list', 'leads.history', 'today.find'],
  scrape: ['scrapes.list', 'scrapes.find', 'leads.list', 'leads.count', 'xAccount.status', 'firstSteps.find'],
  import: ['imports.list', 'imports.find', 'firstSteps.find'],
  job: [
    'firstSteps.find',
    'jobs.list',
    'jobs.find',
    'leads.list',
    'leads.count',
    'lists.list',
    'lists.find',
    'lists.leads',
    'tags.list',
    'openers.list',
    'openers.estimate',
    'conversations.list',
    'conversations.find',
  ],
  notification: ['notifications.list', 'notifications.countUnread', 'xAccount.list', 'xAccount.status', 'today.find'],
}
const LIVE = new Set(Object.values(AFFECTED).flat())

/** Queries whose input `id` is the changed object's id. */
const NAMED_BY: Partial<Record<EventKind, RegExp>> = {
  campaign: /^(campaigns|sequences|enrollments|openers)\./,
  conversation: /^conversations\./,
  scrape: /^scrapes\./,
  import: /^imports\./,
  job: /^jobs\./,
}

/** Queries that show the same messages in several places of a page, so they are refetched together. */
const FIGURES = new Set(['campaigns.list', 'campaigns.find', 'sequences.flight', 'sequences.results', 'today.find'])
const FIGURES_INTERVAL_MS = 2_000

/** Minimum time between two refetches of a query. */
const INTERVAL_MS = 1_000
const LONGER_INTERVALS_MS: Record<string, number> = {
  'leads.list': 3_000,
  'leads.count': 5_000,
  'openers.list': 3_000,
  'openers.estimate': 15_000,
  'lists.list': 5_000,
  'lists.find': 5_000,
  'lists.leads': 5_000,
  'tags.list': 5_000,
  'sendingSettings.find': 15_000,
  'templates.list': 5_000,
  'firstSteps.find': 5_000,
  'xAccount.list': 15_000,
  'analytics.find': 15_000,
  'analytics.breakdown': 30_000,
  'analytics.heatmap': 30_000,
}
/** Minimum poll interval of queries with live events, which only poll in case an event gets lost. */
const POLL_MS = 60_000
/** Delay before checking again whether a query that is being fetched can be refetched. */
const FETCHING_MS = 250

interface Input {
  id?: string
  page?: number
  cursor?: string
}
function operationOf({ queryKey }: Pick<Query, 'queryKey'>): string {
  return Array.isArray(queryKey[0]) ? queryKey[0].join('.') : ''
}
function inputOf({ queryKey }: Query): Input {
  return (queryKey[1] as { input?: Input } | undefined)?.input ?? {}
}

/** Whether an event concerns a query. */
function isAffected(query: Query, { kind, ids }: ChangeEvent): boolean {
  const operation = operationOf(query)
  if (!AFFECTED[kind]?.includes(operation)) return false
  const { id } = inputOf(query)
  return ids.length === 0 || id === undefined || !NAMED_BY[kind]?.test(operation) || ids.includes(id)
}

/** Whether a query is a deep page without a cursor. These are slow, so they are not refetched while on screen. */
function isDeep(query: Query): boolean {
  const { page = 1, cursor } = inputOf(query)
  return page > 1 && cursor === undefined && operationOf(query) === 'campaigns.dms'
}

/** How often a query may be refetched. Queries with the same key are refetched together. */
function paceOf(query: Query): { key: string; intervalMs: number } {
  const operation = operationOf(query)
  if (FIGURES.has(operation)) return { key: 'figures', intervalMs: FIGURES_INTERVAL_MS }
  return { key: query.queryHash, intervalMs: LONGER_INTERVALS_MS[operation] ?? INTERVAL_MS }
}

/** Refetches the queries that events affect: those on screen now, others when they are displayed. */
export function refetchOnEvents(queries: QueryClient): LiveHandlers & { stop(): void } {
  const cache = queries.getQueryCache()
  if (queries instanceof ProductQueryClient)
    queries.pollFloorMs = (query) => (LIVE.has(operationOf(query)) ? POLL_MS : 0)
  const refetchedAt = new Map<string, number>()
  const planned = new Map<string, ReturnType<typeof setTimeout>>()

  function plan(query: Query, ms: number): void {
    const { queryHash } = query
    if (!planned.has(queryHash))
      planned.set(
        queryHash,
        setTimeout(() => refetch(query), ms),
      )
  }
  function refetch(query: Query): void {
    planned.delete(query.queryHash)
    if (query.state.fetchStatus === 'fetching') {
      plan(query, FETCHING_MS)
      return
    }
    refetchedAt.set(paceOf(query).key, Date.now())
    void queries.invalidateQueries({ queryKey: query.queryKey, exact: true })
  }
  function update(query: Query): void {
    // Returning to the tab refetches stale queries. Background retries (query-client.ts) handle failed ones.
    if (!query.isActive() || document.visibilityState === 'hidden') {
      query.invalidate()
      return
    }
    if (query.state.status === 'error' || isDeep(query)) return
    const { key, intervalMs } = paceOf(query)
    plan(query, Math.max(0, (refetchedAt.get(key) ?? 0) + intervalMs - Date.now()))
  }

  return {
    onChange(event) {
      for (const query of cache.getAll()) if (isAffected(query, event)) update(query)
    },
    onReset() {
      for (const query of cache.getAll()) if (LIVE.has(operationOf(query))) update(query)
    },
    stop() {
      for (const timer of planned.values()) clearTimeout(timer)
    },
  }
}
