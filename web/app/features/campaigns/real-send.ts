import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import type { Campaign } from '@x-automated/contract/campaigns'
import { useEffect, useState } from 'react'
import { api, client } from '../../api'
import { toast } from '../../ui/toast'
import {
  ALREADY,
  findObstacleInBrowser,
  type Obstacle,
  startExtensionRun,
  useExtensionRun,
} from '../real-send/extension-run'
import { updateCachedCampaign } from './campaign-cache'

/** Between the re-read that finds a campaign active and the start of its sending (specification §4). */
const AUTO_START_MS = 100

export interface RealSend {
  /** Begins to send an active campaign, or says why not. */
  start: (campaign: Campaign) => void
  /** Reads a campaign again and, where it is active by now, starts it. */
  autoStart: (id: string) => Promise<void>
  /** Why a paused campaign cannot be sent now, before anything about it changes; null: it can. */
  findObstacle: (id: string) => Promise<Obstacle | null>
  /** Is this page following the sending of that campaign? */
  isSending: (id: string) => boolean
}

/**
 * Real sending, as the page sees it. A campaign of channel 'api' is sent by the server, whether or not a page is open: starting it means following it to its end.
 * One of channel 'extension' is sent by this tab (features/real-send).
 * @param campaigns what the page shows, kept fresh
 */
export function useRealSend(campaigns: readonly Campaign[] | undefined): RealSend {
  const queries = useQueryClient()
  const run = useExtensionRun()
  const [followed, setFollowed] = useState<ReadonlySet<string>>(new Set())
  useEffect(() => {
    const over = campaigns?.filter(({ id, status }) => followed.has(id) && isOver(status)) ?? []
    if (over.length === 0) return
    setFollowed(new Set([...followed].filter((id) => !over.some((campaign) => campaign.id === id))))
    for (const { id, name, status } of over)
      if (status === 'completed')
        toast.success(`Finished sending DMs for campaign: "${name}".`, { id: `finished-${id}` })
  }, [campaigns, followed])

  const begin = (campaign: Campaign): boolean => {
    const hindrance = obstacleText(campaign)
    if (hindrance) {
      toast.info(hindrance)
      return false
    }
    if (campaign.channel === 'extension') {
      void startExtensionRun(campaign, queries)
      return false
    }
    setFollowed((before) => new Set([...before, campaign.id]))
    return true
  }
  return {
    start(campaign) {
      if (begin(campaign)) toast.info(`"${campaign.name}" is being sent. You can close this page.`)
    },
    async findObstacle(id) {
      const campaign = await client.campaigns.find({ id })
      updateCachedCampaign(queries, id, campaign)
      return obstacleTo(campaign)
    },
    autoStart: (id) => startIfActive(() => readAgain(queries, id), begin),
    isSending: (id) => followed.has(id) || run?.campaignId === id,
  }
}

/** The auto-start check: begins what is active by now, after a short pause. */
export async function startIfActive(
  read: () => Promise<Campaign | null>,
  begin: (campaign: Campaign) => unknown,
): Promise<void> {
  const campaign = await read()
  if (campaign?.status !== 'active') return
  await new Promise((resolve) => setTimeout(resolve, AUTO_START_MS))
  begin(campaign)
}

const isOver = (status: Campaign['status']) => status !== 'active' && status !== 'draft'

/** Why a paused campaign would not be sent if it were resumed now; null: it would. */
async function obstacleTo({ id, waitsBehind, channel }: Campaign): Promise<Obstacle | null> {
  if (waitsBehind) return { tone: 'info', text: ALREADY }
  return channel === 'extension' ? findObstacleInBrowser(id) : null
}

/** Why a campaign is not sent now (specification §4, §8); null: it is. */
export function obstacleText(campaign: Pick<Campaign, 'waiting' | 'dmsQueuedCount'>): string | null {
  if (campaign.waiting) return ALREADY
  if (campaign.dmsQueuedCount === 0) return 'No queued DMs found for this campaign with valid lead Twitter handles.'
  return null
}

/** Null where it cannot be read: then the pages that show it will say so. */
async function readAgain(queries: QueryClient, id: string): Promise<Campaign | null> {
  try {
    const campaign = await client.campaigns.find({ id })
    updateCachedCampaign(queries, id, campaign)
    return campaign
  } catch {
    void queries.invalidateQueries({ queryKey: api.campaigns.key() })
    return null
  }
}
