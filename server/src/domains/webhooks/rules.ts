import { createHmac, randomBytes } from 'node:crypto'
import { DELIVERY_ATTEMPTS } from '@x-automated/contract/webhooks'

/** Waits after each failed attempt but the last, in seconds: 5 s, 30 s, 2 min, 15 min, 1 h, 5 h, 18 h, about a day in all. */
const WAITS_SECONDS = [5, 30, 120, 900, 3_600, 18_000, 64_800] as const
/** Each wait is up to a fifth shorter or longer, so that what failed together does not come back together. */
const JITTER = 0.2

/**
 * How long to wait after a failed attempt; null after the last.
 * @param attempt from 1; @param random from 0 to 1
 */
export function retryDelaySeconds(attempt: number, random: number): number | null {
  if (attempt >= DELIVERY_ATTEMPTS) return null
  const wait = WAITS_SECONDS[attempt - 1]
  return wait === undefined ? null : wait * (1 + JITTER * (2 * random - 1))
}

/** An endpoint that nothing has reached for so long is disabled when a delivery is given up: less than all waits, at their shortest. */
export const DISABLE_AFTER_HOURS = 18
/** How long the secret before a rotation signs too. */
export const PREVIOUS_SECRET_HOURS = 24

const SECRET_PREFIX = 'whsec_'

/** `whsec_` and 24 random bytes in base64. */
export function newSecret(): string {
  return SECRET_PREFIX + randomBytes(24).toString('base64')
}

export interface SignedMessage {
  /** webhook-id */
  id: string
  /** webhook-timestamp: unix seconds of the attempt. */
  timestamp: number
  body: string
}

/** webhook-signature: for each secret `v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64, a space between (standardwebhooks.com). */
export function signatureOf(secrets: readonly string[], { id, timestamp, body }: SignedMessage): string {
  return secrets
    .map((secret) => Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64'))
    .map((key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`)
    .join(' ')
}
