import { createHmac, randomBytes } from 'node:crypto'
import { DELIVERY_ATTEMPTS } from '@x-automated/contract/platform/webhooks'

/** Seconds to wait after each failed attempt but the last: 5 s, 30 s, 2 min, 15 min, 1 h, 5 h, 18 h. */
const WAITS_SECONDS = [5, 30, 120, 900, 3_600, 18_000, 64_800] as const
/** Each delay varies by up to a fifth, so that simultaneous failures are not retried together. */
const JITTER = 0.2

/** Seconds to wait after failed attempt 1, 2, …; null after the last. @param random from 0 to 1 */
export function retryDelaySeconds(attempt: number, random: number): number | null {
  if (attempt >= DELIVERY_ATTEMPTS) return null
  const wait = WAITS_SECONDS[attempt - 1]
  return wait === undefined ? null : wait * (1 + JITTER * (2 * random - 1))
}

/** After this many hours of failures, an endpoint is disabled. Less than the smallest sum of a delivery's delays. */
export const DISABLE_AFTER_HOURS = 18
/** How long the previous secret stays valid after a rotation. */
export const PREVIOUS_SECRET_HOURS = 24

const SECRET_PREFIX = 'whsec_'

/** Creates a secret: `whsec_` and 24 random bytes in base64. */
export function newSecret(): string {
  return SECRET_PREFIX + randomBytes(24).toString('base64')
}

interface SignedMessage {
  /** webhook-id */
  id: string
  /** webhook-timestamp: unix seconds of the attempt. */
  timestamp: number
  body: string
}

/**
 * The webhook-signature header: `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body` per secret
 * (standardwebhooks.com).
 */
export function signatureOf(secrets: readonly string[], { id, timestamp, body }: SignedMessage): string {
  return secrets
    .map((secret) => Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64'))
    .map((key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`)
    .join(' ')
}
