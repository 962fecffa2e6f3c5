import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import type { XAccount } from '@x-automated/contract/platform/x-account'
import { useEffect, useSyncExternalStore } from 'react'
import { api, client } from '../../../api'
import { toast } from '../../../ui/toast'
import {
  findObstacleInBrowser,
  LONG_TEXT_MS,
  type Obstacle,
  startExtensionRun,
  useExtensionRun,
  waitsBehindText,
} from '../real-send/extension-run'
import { updateCachedCampaign } from './campaign-cache'

const AUTO_START_MS = 100

export interface RealSend {
  /** Starts sending an active campaign, or shows why that is impossible. */
  start: (campaign: Campaign) => void
  /** Refetches a campaign and starts it if it is active. */
  autoStart: (id: string) => Promise<void>
  /** Why a paused or held campaign cannot be sent now, or null. Checked before the campaign changes. */
  findObstacle: (id: string) => Promise<Obstacle | null>
  /** Whether this page is sending or following the campaign. */
  isSending: (id: string) => boolean
}

/** Campaigns whose sending the open page follows. They outlive the page that launched them. */
let followedIds: ReadonlySet<string> = new Set()
const listeners = new Set<() => void>()
const readFollowed = () => followedIds
function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
function setFollowed(ids: ReadonlySet<string>): void {
  followedIds = ids
  for (const listener of listeners) listener()
}

/** Real sending. 'api' campaigns are sent by the server while this page follows; others are sent by this tab. */
export function useRealSend(campaigns: readonly Campaign[] | undefined): RealSend {
  const queries = useQueryClient()
  const run = useExtensionRun()
  const followed = useSyncExternalStore(subscribe, readFollowed, readFollowed)
  useEffect(() => {
    const over = campaigns?.filter(({ id, status }) => followed.has(id) && isOver(status)) ?? []
    if (over.length === 0) return
    setFollowed(new Set([...followed].filter((id) => !over.some((campaign) => campaign.id === id))))
    for (const { id, name, status } of over)
      if (status === 'completed')
        toast.success(`Finished sending DMs for campaign: "${name}".`, { id: `finished-${id}` })
  }, [campaigns, followed])

  const begin = (campaign: Campaign): boolean => {
    const obstacle = obstacleText(campaign)
    if (obstacle) {
      toast.info(obstacle, { duration: LONG_TEXT_MS })
      return false
    }
    if (campaign.channel === 'extension') {
      void startExtensionRun(campaign, queries)
      return false
    }
    setFollowed(new Set([...followedIds, campaign.id]))
    return true
  }
  return {
    start(campaign) {
      if (begin(campaign)) toast.info(`“${campaign.name}” is already sending. You can close this page.`)
    },
    async findObstacle(id) {
      const campaign = await client.campaigns.find({ id })
      updateCachedCampaign(queries, id, campaign)
      return findObstacle(campaign)
    },
    autoStart: (id) => startIfActive(() => refetch(queries, id), begin),
    isSending: (id) => followed.has(id) || run?.campaignId === id,
  }
}

/** Starts a campaign after 100 ms if it is active, unless everyone in it is waiting for a later message. */
export async function startIfActive(
  read: () => Promise<Campaign | null>,
  begin: (campaign: Campaign) => unknown,
): Promise<void> {
  const campaign = await read()
  if (campaign?.status !== 'active' || (campaign.dmsQueuedCount === 0 && campaign.openEnrollments > 0)) return
  await new Promise((resolve) => setTimeout(resolve, AUTO_START_MS))
  begin(campaign)
}

const isOver = (status: Campaign['status']) => status !== 'active' && status !== 'draft'

/** Why a campaign could not be sent after resuming it or ending its hold, or null. */
async function findObstacle({ id, waitsBehind, channel, xAccountId }: Campaign): Promise<Obstacle | null> {
  if (waitsBehind) return { tone: 'info', text: waitsBehindText(waitsBehind.name) }
  return channel === 'extension' ? findObstacleInBrowser(id, await findSender(xAccountId)) : null
}

/** The handle of the account that sends a campaign; null if unknown. @param xAccountId null before launch */
async function findSender(xAccountId: string | null): Promise<string | null> {
  const { accounts } = await client.xAccount.list({})
  const isSender = xAccountId
    ? ({ id }: XAccount) => id === xAccountId
    : ({ isCurrent, status }: XAccount) => isCurrent && status === 'connected'
  return accounts.find(isSender)?.handle ?? null
}

/** Why an active campaign cannot be sent now, or null. */
export function obstacleText({
  waiting,
  waitsBehind,
  dmsQueuedCount,
}: Pick<Campaign, 'waiting' | 'waitsBehind' | 'dmsQueuedCount'>): string | null {
  if (waiting) return waitsBehindText(waitsBehind?.name ?? null)
  if (dmsQueuedCount === 0) return 'No queued DMs found for this campaign with valid lead Twitter handles.'
  return null
}

/** Refetches a campaign. Null if that fails: the queries that display the campaign report the error. */
async function refetch(queries: QueryClient, id: string): Promise<Campaign | null> {
  try {
    const campaign = await client.campaigns.find({ id })
    updateCachedCampaign(queries, id, campaign)
    return campaign
  } catch {
    void queries.invalidateQueries({ queryKey: api.campaigns.key() })
    return null
  }
}
