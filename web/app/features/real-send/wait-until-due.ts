import type { Campaign } from '@x-automated/contract/campaigns'

/** How soon what others do to a campaign is seen while its run waits. */
const POLL_EVERY_MS = 5_000

type Seen = Pick<Campaign, 'status' | 'channel' | 'waiting' | 'waitingFor' | 'dmsQueuedCount'>

/** What a run that waits needs of the page. */
export interface WaitDeps {
  /** The campaign as it is now; null where it cannot be read for the moment, 'gone' where it never will be. */
  look(): Promise<Seen | 'gone' | null>
  /** Ends early where this page has changed the campaign. */
  sleep(ms: number): Promise<void>
  now(): number
}

/**
 * Waits for the moment at which the next message is due, in milliseconds since 1970; ends before it once the campaign is sent no more, or what it
 * waits for has changed: its cap was raised, or another sender has done with what it held.
 */
export async function waitUntilDue(until: number, { look, sleep, now }: WaitDeps): Promise<void> {
  const isLong = until - now() > POLL_EVERY_MS
  const first = isLong ? await look() : null
  if (first === 'gone') return
  let before = standing(first)
  while (now() < until) {
    await sleep(Math.min(until - now(), POLL_EVERY_MS))
    if (now() >= until) return
    const seen = await look()
    if (seen === 'gone' || (seen && (seen.status !== 'active' || seen.channel !== 'extension'))) return
    const after = standing(seen)
    if (before !== null && after !== null && after !== before) return
    before = after ?? before
  }
}

function standing(campaign: Seen | null): string | null {
  return campaign && JSON.stringify([campaign.waiting, campaign.waitingFor, campaign.dmsQueuedCount])
}
