import type { QueryClient } from '@tanstack/react-query'
import type { Campaign } from '@x-automated/contract/campaigns'
import { useSyncExternalStore } from 'react'
import { api, client, errorCode, errorText, isOutOfReach } from '../../api'
import { shorten } from '../../ui/shorten'
import { toast } from '../../ui/toast'
import { createClaims } from './claims'
import { askExtension, askStatus, driveExtension } from './extension-link'
import { type RunEnd, type RunProgress, runCampaign } from './run'
import { waitUntilDue } from './wait-until-due'

/** The campaign that this page sends through the extension, and how far it is. */
export interface ExtensionRun {
  campaignId: string
  name: string
  progress: RunProgress | null
  /** Until when it waits before the next one, in milliseconds since 1970. */
  waitsUntil: number | null
}

/** What keeps a campaign from being sent, and how serious that is. */
export interface Obstacle {
  tone: 'info' | 'error'
  text: string
}

export const ALREADY = 'Another campaign DM sending process is already active.'
const NOTHING = 'No queued DMs found for this campaign with valid lead Twitter handles.'
/** Over all tabs of this browser: one of them sends. */
const LOCK = 'real-send'
/** Where it waits longer than between two messages, the extension may go on with other campaigns by itself. */
const LONG_REST_MS = 120_000
/** Before it begins again with a campaign that was ended and is active once more. */
const ROUND_MS = 1_000
/** Of a message, in the notice of progress (specification §9). */
const PREVIEW = 30

let run: ExtensionRun | null = null
/** Ends what the run waits for before its time. */
let wake: () => void = () => {}
const watchers = new Set<() => void>()

function show(next: ExtensionRun | null): void {
  run = next
  for (const changed of watchers) changed()
}

/** The run of this tab; null: none. It outlives the page that began it, until the tab is closed. */
export function useExtensionRun(): ExtensionRun | null {
  return useSyncExternalStore(
    (changed) => {
      watchers.add(changed)
      return () => watchers.delete(changed)
    },
    () => run,
    () => null,
  )
}

/** This page has changed a campaign: where the run of this tab waits with it, it looks at once what that means. */
export function wakeRun(campaignId: string): void {
  if (run?.campaignId === campaignId) wake()
}

/**
 * Sends an active campaign of channel 'extension' from this tab, message by message, until nothing is left or something stands in the way.
 * One that this tab is sending yet, paused and resumed in between, goes on.
 */
export async function startExtensionRun(campaign: Campaign, queries: QueryClient): Promise<void> {
  if (run?.campaignId === campaign.id) return wakeRun(campaign.id)
  if (run) return toast.info(ALREADY)
  await alone(async (mine) => {
    if (!mine) return toast.info(ALREADY)
    show({ campaignId: campaign.id, name: campaign.name, progress: null, waitsUntil: null })
    try {
      const there = await askStatus()
      if (there.success) await send(campaign, queries)
      else toast.error(there.error, { duration: 8_000 })
    } finally {
      show(null)
      // Not waited for: the browser is free for the next one.
      void queries.invalidateQueries({ queryKey: api.campaigns.key() })
    }
  })
}

/** Why this tab could not send a campaign through the extension now; null: it could. Asked before the campaign becomes active for it. */
export async function findObstacleInBrowser(campaignId: string): Promise<Obstacle | null> {
  if (run) return run.campaignId === campaignId ? null : { tone: 'info', text: ALREADY }
  const { held } = (await navigator.locks?.query()) ?? {}
  if (held?.some(({ name }) => name === LOCK)) return { tone: 'info', text: ALREADY }
  const there = await askStatus()
  return there.success ? null : { tone: 'error', text: there.error }
}

/** @param work is told whether it has the browser to itself */
async function alone(work: (mine: boolean) => Promise<void> | void): Promise<void> {
  if (!navigator.locks) return work(true)
  await navigator.locks.request(LOCK, { ifAvailable: true }, async (lock) => work(lock !== null))
}

async function send(campaign: Campaign, queries: QueryClient): Promise<void> {
  const { id, name } = campaign
  let end = await sendWhileActive(campaign, queries)
  while (end === 'over') {
    const now = await read(id)
    if (now === null || now === 'gone') break
    if (now.status === 'completed') end = 'completed'
    // Resumed while its run was ending.
    else if (now.status === 'active' && now.channel === 'extension') {
      await sleepUnlessWoken(ROUND_MS)
      end = await sendWhileActive(now, queries)
    } else break
  }
  // Of a campaign that was resumed meanwhile the rest may be gone; what this run has sent was not nothing.
  if (end === 'nothing' && run?.progress) end = 'finished'
  if (end === 'nothing') toast.info(NOTHING)
  if (end === 'finished' || end === 'completed')
    toast.success(`Finished sending DMs for campaign: "${name}".`, { id: `finished-${id}` })
}

async function sendWhileActive(campaign: Campaign, queries: QueryClient): Promise<RunEnd> {
  const { id } = campaign
  const runId = crypto.randomUUID()
  let letGo = driveExtension(maySend)
  const change = (part: Partial<ExtensionRun>) => run && show({ ...run, ...part })
  try {
    return await runCampaign({
      queued: campaign.dmsQueuedCount,
      claim: createClaims((idempotencyKey) =>
        client.campaigns.claim({ id, holder: 'page' }, { context: { idempotencyKey } }),
      ),
      ask: ({ dmId, lease, twitterHandle, message, sendsAs }, notAfter) =>
        askExtension({
          action: 'SEND_TWITTER_DM',
          data: {
            twitterHandle,
            message,
            requestId: lease,
            dmId,
            notAfter,
            runId,
            ...(sendsAs !== null && { sendsAs }),
          },
        }),
      record: ({ dmId, lease }, outcome) => client.campaigns.recordOutcome({ id: dmId, lease, ...outcome }),
      release: ({ dmId, lease }) => client.campaigns.release({ id: dmId, lease }),
      wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      async rest(until) {
        const isLong = until - Date.now() > LONG_REST_MS
        if (isLong) letGo()
        await waitUntilDue(until, { look: () => read(id), sleep: sleepUnlessWoken, now: Date.now })
        if (isLong) letGo = driveExtension(maySend)
      },
      onProgress(progress) {
        change({ progress, waitsUntil: null })
        const { index, total, handle, message } = progress
        // One notice that goes along: what went out before stands in the table.
        toast.info(`Sending DM ${index} of ${total} to @${handle}: "${shorten(message, PREVIEW)}"`, {
          id: `progress-${id}`,
          replaces: true,
        })
        void queries.invalidateQueries({ queryKey: api.campaigns.key() })
      },
      onWait: (waitsUntil) => change({ waitsUntil }),
      onError: (words) => toast.error(words, { duration: 8_000 }),
      isOver: (error) => ['CAMPAIGN_STATE', 'CAMPAIGN_CHANNEL', 'CAMPAIGN_NOT_FOUND'].includes(errorCode(error) ?? ''),
      wordsOf: (error) => errorText(error),
      now: Date.now,
    })
  } finally {
    letGo()
  }
}

function sleepUnlessWoken(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    wake = () => {
      clearTimeout(timer)
      resolve()
    }
  })
}

/** Null where it cannot be read for the moment. */
function read(id: string): Promise<Campaign | 'gone' | null> {
  return client.campaigns.find({ id }).catch((error) => (isOutOfReach(error) ? 'gone' : null))
}

/** The extension asks this right before it presses send, where it has no key of its own that opens the message. */
async function maySend({ dmId, lease }: { dmId: string; lease: string }): Promise<boolean | null> {
  try {
    return (await client.campaigns.confirm({ id: dmId, lease })).maySend
  } catch (error) {
    return ['LEASE_LOST', 'DM_NOT_FOUND'].includes(errorCode(error) ?? '') ? false : null
  }
}
