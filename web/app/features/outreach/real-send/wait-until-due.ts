import type { Campaign } from '@x-automated/contract/outreach/campaigns'

/** How often a waiting run checks for changes made elsewhere. */
const POLL_EVERY_MS = 5_000

type Snapshot = Pick<Campaign, 'status' | 'channel' | 'waiting' | 'waitingFor' | 'dmsQueuedCount'>

export interface WaitDeps {
  /** Reads the current campaign. Null if it cannot be fetched right now, 'gone' if it no longer exists. */
  read(): Promise<Snapshot | 'gone' | null>
  /** Sleeps for this time. Ends early if this page changes the campaign. */
  sleep(ms: number): Promise<void>
  now(): number
}

/** Waits until a time, or until the campaign stops or no longer waits for this reason. */
export async function waitUntilDue(until: number, { read, sleep, now }: WaitDeps): Promise<void> {
  const isLong = until - now() > POLL_EVERY_MS
  const first = isLong ? await read() : null
  if (first === 'gone') return
  let before = waitState(first)
  while (now() < until) {
    await sleep(Math.min(until - now(), POLL_EVERY_MS))
    if (now() >= until) return
    const seen = await read()
    if (seen === 'gone' || (seen && (seen.status !== 'active' || seen.channel !== 'extension'))) return
    const after = waitState(seen)
    if (before !== null && after !== null && after !== before) return
    before = after ?? before
  }
}

function waitState(campaign: Snapshot | null): string | null {
  return campaign && JSON.stringify([campaign.waiting, campaign.waitingFor, campaign.dmsQueuedCount])
}
