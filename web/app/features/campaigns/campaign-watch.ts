import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Campaign } from '@x-automated/contract/campaigns'
import { useEffect, useRef } from 'react'
import { api } from '../../api'
import { isInitialLoading } from '../../initial-loading'
import { toast } from '../../ui/toast'
import { newlyCompleted, secondsLeftOf } from './campaign-progress'

/** While something is being sent, its state is asked for this often; never while the tab is hidden (TanStack Query's own rule). */
export const WATCH_EVERY_MS = 1500

/** What was sent is answered later: a campaign that is open is looked at this often, whatever its state. */
export const WATCH_ANSWERS_EVERY_MS = 4_000

/**
 * How often a page of messages is asked for, in milliseconds.
 * @param live they are being sent
 * @param cursor where the page begins; without one it is counted off from the beginning, which costs the more the deeper it is
 */
export function pagePollInterval(live: boolean, page: number, cursor: string | undefined): number | false {
  if (page > 1 && cursor === undefined) return false
  return live ? WATCH_EVERY_MS : WATCH_ANSWERS_EVERY_MS
}

export const CAMPAIGNS_PAGE_SIZE = 100

export const isActive = (campaign: Pick<Campaign, 'status'>) => campaign.status === 'active'

/** Its figures may change at any moment: it is active, or a sender still owns a message of it. */
const isMoving = (campaign: Pick<Campaign, 'status' | 'messagesInFlight'>) =>
  isActive(campaign) || campaign.messagesInFlight > 0

/** A page of campaigns, kept fresh while one of them is active or has messages in flight. */
export function useCampaigns(page: number) {
  const query = useQuery(
    api.campaigns.list.queryOptions({
      input: { page, pageSize: CAMPAIGNS_PAGE_SIZE },
      placeholderData: keepPreviousData,
      staleTime: 0,
      refetchInterval: ({ state }) => (state.data?.campaigns.some(isMoving) ? WATCH_EVERY_MS : false),
    }),
  )
  useCompletionToasts(query.data?.campaigns)
  return query
}

/** One campaign, kept fresh while it is active or has messages in flight. */
export function useCampaign(id: string) {
  const query = useQuery(
    api.campaigns.find.queryOptions({
      input: { id },
      staleTime: 0,
      refetchInterval: ({ state }) => (state.data && isMoving(state.data) ? WATCH_EVERY_MS : WATCH_ANSWERS_EVERY_MS),
    }),
  )
  useCompletionToasts(query.data ? [query.data] : undefined)
  return query
}

/** How often the X account is looked at while it matters. */
const WATCH_ACCOUNT_EVERY_MS = 15_000

/** Is the X account connected that a campaign sends from; without a campaign, or for one that has none yet, the current one? Undefined while that is not known. */
export type Connections = (campaign?: Pick<Campaign, 'xAccountId'>) => boolean | undefined

/** @param campaigns what the page shows: while one is being sent it keeps asking, and at once when one paused by itself */
export function useXConnections(campaigns: readonly Campaign[] | undefined): Connections {
  const queries = useQueryClient()
  const { data } = useQuery(
    api.xAccount.list.queryOptions({ refetchInterval: campaigns?.some(isActive) ? WATCH_ACCOUNT_EVERY_MS : false }),
  )
  const stopped = campaigns?.flatMap(({ id, pauseReason }) => (pauseReason ? [id] : [])).join() ?? ''
  useEffect(() => {
    if (stopped !== '') void queries.invalidateQueries({ queryKey: api.xAccount.key() })
  }, [stopped, queries])
  return (campaign) => {
    if (!data) return undefined
    const id = campaign?.xAccountId
    const account = id ? data.accounts.find((one) => one.id === id) : data.accounts[0]
    return account?.status === 'connected'
  }
}

/** Is it known which X accounts are connected, or not to be found out for now? What stands below a word about it comes no sooner. */
export function useXConnectionsKnown(): boolean {
  return !isInitialLoading(useQuery(api.xAccount.list.queryOptions()))
}

/** The current X account where X has shut it out, and why; null: it has not, or that is not known. */
export function useLostConnection(): { handle: string; reason: string } | null {
  const { data } = useQuery(api.xAccount.status.queryOptions())
  return data?.handle && data.reason && !data.connected ? { handle: data.handle, reason: data.reason } : null
}

/** Says it when a campaign that this page has seen on its way is complete (specification §8). */
function useCompletionToasts(campaigns: readonly Campaign[] | undefined): void {
  const seen = useRef<ReadonlyMap<string, Campaign['status']>>(new Map())
  useEffect(() => {
    if (!campaigns) return
    for (const { id, name } of newlyCompleted(seen.current, campaigns))
      toast.success(`Campaign "${name}" is now complete!`, { id: `complete-${id}` })
    seen.current = new Map([...seen.current, ...campaigns.map(({ id, status }) => [id, status] as const)])
  }, [campaigns])
}

/** How often it is asked how long a campaign still takes. */
const FORECAST_EVERY_MS = 5_000

/**
 * How long a campaign will still take, in seconds; null: it is not being sent, or nothing of it will be; undefined while that is not known.
 * @param held nothing can be sent: its account is not connected, or no browser sends it
 */
export function useSecondsLeft(campaign: Campaign | undefined, held: boolean): number | null | undefined {
  const sending = campaign !== undefined && isActive(campaign) && campaign.dmsQueuedCount > 0 && !held
  const forecast = useQuery(
    api.campaigns.forecast.queryOptions({
      input: { id: campaign?.id ?? '' },
      enabled: sending,
      staleTime: 0,
      refetchInterval: FORECAST_EVERY_MS,
    }),
  )
  return sending ? secondsLeftOf(forecast) : null
}
