import type { QueryClient } from '@tanstack/react-query'
import { formatNumber } from '@x-automated/contract/format'
import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import { secondsUntilDue } from '@x-automated/contract/outreach/sending-run'
import { useSyncExternalStore } from 'react'
import { api, client, errorCode, errorText, isOutOfReach } from '../../../api'
import { shorten } from '../../../ui/shorten'
import { toast } from '../../../ui/toast'
import { askExtension, askStatus, checkSending, driveExtension } from './extension-link'
import { type RunEnd, type RunProgress, runCampaign } from './run'
import { waitUntilDue } from './wait-until-due'

/** The campaign that this tab sends through the extension, with its progress. */
interface ExtensionRun {
  campaignId: string
  name: string
  progress: RunProgress | null
  /** When the next message is due, in milliseconds since 1970. */
  waitsUntil: number | null
}

/** Why a campaign cannot be sent. */
export interface Obstacle {
  tone: 'info' | 'error'
  text: string
}

const ALREADY_SENDING = 'Another campaign DM sending process is already active.'
const NOTHING_QUEUED = 'No queued DMs found for this campaign with valid lead Twitter handles.'
/** A browser-wide lock, so that only one tab sends. A second lock tells the other tabs the campaign's name. */
const LOCK = 'real-send'
const NAMED_LOCK = `${LOCK}: `
/** How long a text of several sentences stays on screen, in milliseconds. */
export const LONG_TEXT_MS = 8_000
/** During a longer wait, the extension may send other campaigns. */
const LONG_WAIT_MS = 120_000
/** Pause before restarting a campaign that was stopped and is active again. */
const RESTART_DELAY_MS = 1_000
const MESSAGE_PREVIEW = 30

/** Why nothing can be sent while this or another tab sends. @param name of the campaign being sent */
function alreadySendingText(where: 'This tab' | 'Another tab of this browser', name: string | null): string {
  const what = name === null ? 'a campaign' : `“${name}”`
  return `${ALREADY_SENDING} ${where} is sending ${what}. Pause it, or wait until it is done.`
}

/** Why a campaign cannot be sent while an older one on the same X account goes first. @param name null if unknown */
export function waitsBehindText(name: string | null): string {
  const what = name === null ? 'An older campaign' : `“${name}”`
  return `${ALREADY_SENDING} ${what} goes first on this X account because it is older. Start it if nothing is sending it, or pause it.`
}

let run: ExtensionRun | null = null
/** Ends the current wait early. Only set during a wait. */
let wake: () => void = () => {}
const listeners = new Set<() => void>()

function show(next: ExtensionRun | null): void {
  run = next
  for (const listener of listeners) listener()
}

/** This tab's run, or null. It survives navigation, but not closing the tab. */
export function useExtensionRun(): ExtensionRun | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => run,
    () => null,
  )
}

/** Call this after changing a campaign, so that a waiting run notices the change immediately. */
export function wakeRun(campaignId: string): void {
  if (run?.campaignId === campaignId) wake()
}

/** Sends an active 'extension' campaign from this tab, until it is done or an error stops it. */
export async function startExtensionRun(campaign: Campaign, queries: QueryClient): Promise<void> {
  if (run?.campaignId === campaign.id) return wakeRun(campaign.id)
  const other = await findOtherRun()
  if (other !== null) return toast.info(other, { duration: LONG_TEXT_MS })
  await withSendLock(campaign.name, async (hasLock) => {
    if (!hasLock) return toast.info(alreadySendingText('Another tab of this browser', null), { duration: LONG_TEXT_MS })
    show({ campaignId: campaign.id, name: campaign.name, progress: null, waitsUntil: null })
    try {
      const extension = await askStatus()
      if (extension.success) await send(campaign, queries)
      else toast.error(extension.error, { duration: LONG_TEXT_MS })
    } finally {
      show(null)
      // Not awaited, so that the next campaign can start immediately.
      void queries.invalidateQueries({ queryKey: api.campaigns.key() })
    }
  })
}

/**
 * Why this tab cannot send through the extension now, or null. Call it before resuming a campaign.
 * @param sendsAs the account that must be logged in to X, without @; null for any
 */
export async function findObstacleInBrowser(campaignId: string, sendsAs: string | null): Promise<Obstacle | null> {
  if (run?.campaignId === campaignId) return null
  const other = await findOtherRun()
  if (other !== null) return { tone: 'info', text: other }
  const checked = await checkSending(sendsAs)
  return checked.success ? null : { tone: 'error', text: checked.error }
}

/** What this or another tab of the browser is sending, as text, or null. */
async function findOtherRun(): Promise<string | null> {
  if (run) return alreadySendingText('This tab', run.name)
  const { held } = (await navigator.locks?.query()) ?? {}
  const names = held?.map(({ name }) => name ?? '') ?? []
  if (!names.includes(LOCK)) return null
  const named = names.find((name) => name.startsWith(NAMED_LOCK))
  return alreadySendingText('Another tab of this browser', named?.slice(NAMED_LOCK.length) ?? null)
}

/** Runs `work` while holding the lock. @param work called with whether this tab has the lock */
async function withSendLock(name: string, work: (hasLock: boolean) => Promise<void> | void): Promise<void> {
  const { locks } = navigator
  if (!locks) return work(true)
  await locks.request(LOCK, { ifAvailable: true }, async (lock) => {
    if (lock) await locks.request(NAMED_LOCK + name, async () => work(true))
    else await work(false)
  })
}

async function send(campaign: Campaign, queries: QueryClient): Promise<void> {
  const { id, name } = campaign
  let end = await sendWhileActive(campaign, queries)
  while (end === 'over') {
    const now = await read(id)
    if (now === null || now === 'gone') break
    if (now.status === 'completed') end = 'completed'
    // The campaign was resumed while the run was ending.
    else if (now.status === 'active' && now.channel === 'extension') {
      await sleepUnlessWoken(RESTART_DELAY_MS)
      end = await sendWhileActive(now, queries)
    } else break
  }
  // After a restart, `nothing` can mean that this run has already sent everything.
  if (end === 'nothing' && run?.progress) end = 'finished'
  if (end === 'nothing') toast.info(NOTHING_QUEUED)
  if (end === 'finished' || end === 'completed')
    toast.success(`Finished sending DMs for campaign: "${name}".`, { id: `finished-${id}` })
}

async function sendWhileActive(campaign: Campaign, queries: QueryClient): Promise<RunEnd> {
  const { id } = campaign
  const runId = crypto.randomUUID()
  let release = driveExtension(maySend)
  const update = (part: Partial<ExtensionRun>) => run && show({ ...run, ...part })
  try {
    return await runCampaign({
      queued: campaign.dmsQueuedCount,
      async claim(idempotencyKey) {
        const response = await client.campaigns.claim({ id, holder: 'page' }, { context: { idempotencyKey } })
        if (response.status === 200) return { claim: response.body }
        return { inSeconds: secondsUntilDue(response.headers?.['retry-after']) }
      },
      ask: ({ dmId, lease, twitterHandle, xUserId, message, sendsAs }, notAfter) =>
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
            ...(xUserId !== null && { xUserId }),
          },
        }),
      record: ({ dmId, lease }, outcome) => client.campaigns.recordOutcome({ id: dmId, lease, ...outcome }),
      release: ({ dmId, lease }, inboxUnclear) => client.campaigns.release({ id: dmId, lease, inboxUnclear }),
      wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      async waitUntil(until) {
        const isLong = until - Date.now() > LONG_WAIT_MS
        if (isLong) release()
        await waitUntilDue(until, { read: () => read(id), sleep: sleepUnlessWoken, now: Date.now })
        if (isLong) release = driveExtension(maySend)
      },
      onProgress(progress) {
        update({ progress, waitsUntil: null })
        const { index, total, handle, message } = progress
        // Replaces the previous toast. The table lists earlier messages.
        toast.info(
          `Sending DM ${formatNumber(index)} of ${formatNumber(total)} to @${handle}: “${shorten(message, MESSAGE_PREVIEW)}”`,
          {
            id: `progress-${id}`,
            replaces: true,
          },
        )
        void queries.invalidateQueries({ queryKey: api.campaigns.key() })
      },
      onWait: (waitsUntil) => update({ waitsUntil }),
      onError: (text) => toast.error(text, { duration: LONG_TEXT_MS }),
      onPutOff: (text) => toast.info(text, { duration: LONG_TEXT_MS }),
      isOver: (error) => ['CAMPAIGN_STATE', 'CAMPAIGN_CHANNEL', 'CAMPAIGN_NOT_FOUND'].includes(errorCode(error) ?? ''),
      isUnderWay: (error) => errorCode(error) === 'IDEMPOTENCY_UNDER_WAY',
      textOf: (error) => errorText(error),
      now: Date.now,
    })
  } finally {
    release()
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

/** Null if the campaign cannot be fetched right now. */
function read(id: string): Promise<Campaign | 'gone' | null> {
  return client.campaigns.find({ id }).catch((error) => (isOutOfReach(error) ? 'gone' : null))
}

/** Answers the extension's question right before it presses send. Null if unknown. */
async function maySend({ dmId, lease }: { dmId: string; lease: string }): Promise<boolean | null> {
  try {
    return (await client.campaigns.confirm({ id: dmId, lease })).maySend
  } catch (error) {
    return ['LEASE_LOST', 'DM_NOT_FOUND'].includes(errorCode(error) ?? '') ? false : null
  }
}
