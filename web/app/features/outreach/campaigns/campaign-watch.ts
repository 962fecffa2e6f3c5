import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import { useEffect, useRef } from 'react'
import { api } from '../../../api'
import { isInitialLoading } from '../../../initial-loading'
import { toast } from '../../../ui/toast'
import { newlyCompleted, secondsLeftOf } from './campaign-progress'

/** Poll interval while messages are being sent, paused while the tab is hidden. */
export const POLL_SENDING_EVERY_MS = 1500

/** Poll interval for an open campaign in any state, because replies may still arrive. */
const POLL_REPLIES_EVERY_MS = 4_000

/** Poll interval for a page of messages. Deep pages without a cursor are slow, so they don't poll. */
export function pagePollInterval(live: boolean, page: number, cursor: string | undefined): number | false {
  if (page > 1 && cursor === undefined) return false
  return live ? POLL_SENDING_EVERY_MS : POLL_REPLIES_EVERY_MS
}

export const CAMPAIGNS_PAGE_SIZE = 100

/** Whether senders may claim the campaign's messages. */
const isActive = (campaign: Pick<Campaign, 'status'>) => campaign.status === 'active'

/** Whether a campaign's numbers can still change. */
const isMoving = (campaign: Pick<Campaign, 'status' | 'messagesInFlight' | 'undoUntil'>) =>
  isActive(campaign) || campaign.messagesInFlight > 0 || campaign.undoUntil !== null

/** Which campaigns the table lists. Empty for all. */
interface CampaignsFilter {
  status?: Campaign['status'] | undefined
  keyword?: string | undefined
}

/** A page of campaigns. Polls while the numbers of one of them can still change. */
export function useCampaigns(page: number, filter: CampaignsFilter) {
  const query = useQuery(
    api.campaigns.list.queryOptions({
      input: { ...filter, page, pageSize: CAMPAIGNS_PAGE_SIZE },
      placeholderData: keepPreviousData,
      staleTime: 0,
      refetchInterval: ({ state }) => (state.data?.campaigns.some(isMoving) ? POLL_SENDING_EVERY_MS : false),
    }),
  )
  useCompletionToasts(query.data?.campaigns)
  return query
}

/** One campaign. Polls faster while its numbers can still change. */
export function useCampaign(id: string) {
  const query = useQuery(
    api.campaigns.find.queryOptions({
      input: { id },
      staleTime: 0,
      refetchInterval: ({ state }) =>
        state.data && isMoving(state.data) ? POLL_SENDING_EVERY_MS : POLL_REPLIES_EVERY_MS,
    }),
  )
  useCompletionToasts(query.data ? [query.data] : undefined)
  return query
}

const POLL_ACCOUNTS_EVERY_MS = 15_000

/** Whether the X account of a campaign (or else the current one) is connected; undefined while unknown. */
export type Connections = (campaign?: Pick<Campaign, 'xAccountId'>) => boolean | undefined

/** Reads the X connections. Polls while a listed campaign is active, and refetches when one gets a pause reason. */
export function useXConnections(campaigns: readonly Campaign[] | undefined): Connections {
  const queries = useQueryClient()
  const { data } = useQuery(
    api.xAccount.list.queryOptions({ refetchInterval: campaigns?.some(isActive) ? POLL_ACCOUNTS_EVERY_MS : false }),
  )
  const pausedIds = campaigns?.flatMap(({ id, reason }) => (reason ? [id] : [])).join() ?? ''
  useEffect(() => {
    if (pausedIds !== '') void queries.invalidateQueries({ queryKey: api.xAccount.key() })
  }, [pausedIds, queries])
  return (campaign) => {
    if (!data) return undefined
    const id = campaign?.xAccountId
    const account = id ? data.accounts.find((candidate) => candidate.id === id) : data.accounts[0]
    return account?.status === 'connected'
  }
}

/** Whether the X connections have loaded or failed to load. Anything below their notices waits for that. */
export function useXConnectionsLoaded(): boolean {
  return !isInitialLoading(useQuery(api.xAccount.list.queryOptions()))
}

/** The current X account and why X has ended its connection. Null if X has not. */
export function useLostConnection(): { handle: string; reason: string } | null {
  const { data } = useQuery(api.xAccount.status.queryOptions())
  return data?.handle && data.reason && !data.connected ? { handle: data.handle, reason: data.reason } : null
}

/** Shows a toast when a displayed campaign completes. */
function useCompletionToasts(campaigns: readonly Campaign[] | undefined): void {
  const seen = useRef<ReadonlyMap<string, Campaign['status']>>(new Map())
  useEffect(() => {
    if (!campaigns) return
    for (const { id, name } of newlyCompleted(seen.current, campaigns))
      toast.success(`Campaign "${name}" is now complete!`, { id: `complete-${id}` })
    seen.current = new Map([...seen.current, ...campaigns.map(({ id, status }) => [id, status] as const)])
  }, [campaigns])
}

const REHEARSE_EVERY_MS = 60_000

/** Whom a campaign will still message, and when. */
export function useRestOfCampaign(campaign: Pick<Campaign, 'id' | 'status'> | undefined) {
  return useQuery(
    api.campaigns.findPreflight.queryOptions({
      input: { id: campaign?.id ?? '' },
      enabled: campaign !== undefined && campaign.status !== 'completed' && campaign.status !== 'archived',
      staleTime: 0,
      refetchInterval: campaign?.status === 'active' ? REHEARSE_EVERY_MS : false,
    }),
  )
}

/**
 * Seconds until the campaign finishes. Null if it is not sending or there is no estimate, undefined
 * while loading.
 * @param blocked whether something prevents the campaign from sending
 */
export function useSecondsLeft(campaign: Campaign | undefined, blocked: boolean): number | null | undefined {
  const sending = campaign !== undefined && isActive(campaign) && campaign.dmsQueuedCount > 0 && !blocked
  const rest = useRestOfCampaign(campaign)
  return sending ? secondsLeftOf(rest, Date.now()) : null
}
