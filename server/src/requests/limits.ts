import { LOOKS_PER_DAY } from '@x-automated/contract/leads/scrape-limits'
import type pg from 'pg'
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import { Refusal } from '../refusal.ts'

/** A limit shared by all processes: `points` per `seconds` and key. */
interface Limit {
  name: string
  points: number
  seconds: number
}

/** Rate limits, shared by all processes. */
const LIMITS = {
  signInByAccountAndAddress: { name: 'sign-in', points: 10, seconds: 15 * 60 },
  /**
   * Counts every address except those where the account is signed in, so that attacks never keep the
   * user from signing in there.
   */
  signInByAccount: { name: 'sign-in-account', points: 100, seconds: 60 * 60 },
  signInByAddress: { name: 'sign-in-address', points: 300, seconds: 15 * 60 },
  /** Sign-ins started at a provider, and id_tokens submitted. */
  authorizeByAddress: { name: 'authorize', points: 120, seconds: 15 * 60 },
  /**
   * Calls of a workspace's admins that make us query DNS or a URL of theirs. Counted apart: lookups of
   * a scrape's source, which X charges for.
   */
  lookUpByWorkspace: { name: 'look-up', points: 120, seconds: 60 * 60 },
  scrapeLookByWorkspaceAndDay: { name: 'scrape-look', points: LOOKS_PER_DAY, seconds: 24 * 60 * 60 },
  /** Wrong second-factor codes after a correct password, over all addresses. */
  secondFactorByUser: { name: 'second-factor', points: 60, seconds: 60 * 60 },
  /** Wrong passwords of a signed-in user. */
  proofByUser: { name: 'proof', points: 10, seconds: 15 * 60 },
  /** Emails that anyone can request, counted whether or not the address is known. */
  mailByAddress: { name: 'mail-address', points: 60, seconds: 60 * 60 },
  mailByRecipientAndAddress: { name: 'mail', points: 6, seconds: 60 * 60 },
  mailByRecipient: { name: 'mail-recipient', points: 20, seconds: 60 * 60 },
  /** Lookups of invitation links. */
  invitationByAddress: { name: 'invitation', points: 60, seconds: 15 * 60 },
  inviteByWorkspace: { name: 'invite', points: 100, seconds: 60 * 60 },
  /** Far below `inviteByRecipient`, so that no single workspace can exhaust a recipient's limit. */
  inviteByWorkspaceAndRecipient: { name: 'invite-workspace-recipient', points: 10, seconds: 24 * 60 * 60 },
  inviteByRecipient: { name: 'invite-recipient', points: 100, seconds: 24 * 60 * 60 },
  /** Emails that a signed-in user sends to themselves. */
  testMailByUser: { name: 'test-mail', points: 30, seconds: 60 * 60 },
  /** Emails about sign-ups. Beyond the limit, the response is the same, but no email is sent. */
  signUpByRecipient: { name: 'sign-up-recipient', points: 5, seconds: 60 * 60 },
  signUpByAddress: { name: 'sign-up', points: 30, seconds: 60 * 60 },
  joinByAddress: { name: 'join', points: 30, seconds: 60 },
  pairByAddress: { name: 'pair', points: 30, seconds: 15 * 60 },
  reportByAddress: { name: 'report', points: 60, seconds: 60 },
  positionByAddress: { name: 'position', points: 20, seconds: 60 },
} as const satisfies Record<string, Limit>

export type LimitName = keyof typeof LIMITS

/** A /48 of IPv6 has 65,536 client addresses. Together they may make this many times the calls of one address. */
const NETWORK_FACTOR = 2

/** Hashes of a client's address and, for IPv6, of its /48. */
export interface ClientHashes {
  addressHash: string
  networkHash?: string | null
}

/** Signed-in calls per minute and user, or per API key, over all processes. */
const CALLS_A_MINUTE = 600

export interface Limits {
  /** Counts one call. @returns how many are left @throws Refusal RATE_LIMITED beyond the limit */
  consume(limit: LimitName, key: string | ClientHashes): Promise<number>
  /** Subtracts one counted call. */
  refund(limit: LimitName, key: string | ClientHashes): Promise<void>
  reset(limit: LimitName, key: string): Promise<void>
  /**
   * Counts calls. Other processes' counts are a second old, or older without the database. @throws
   * Refusal RATE_LIMITED
   */
  countCall(caller: string, calls?: number): void
  /** The limit, the calls left in this minute, and the seconds until the next minute. */
  callsLeft(caller: string): { limit: number; left: number; seconds: number }
  /** Deletes expired counts. */
  purge(): Promise<void>
  close(): Promise<void>
}

export function createLimits(pool: pg.Pool): Limits {
  const limiterOf = ({ name, points, seconds }: Limit) =>
    new RateLimiterPostgres({
      storeClient: pool,
      storeType: 'pool',
      tableName: 'rate_limits',
      tableCreated: true,
      clearExpiredByTimeout: false,
      keyPrefix: name,
      points,
      duration: seconds,
    })
  const limiters = mapLimits(limiterOf)
  const networkLimiters = mapLimits(({ name, points, seconds }) =>
    limiterOf({ name: `${name}-network`, points: NETWORK_FACTOR * points, seconds }),
  )
  /** The counters of a key: of a client's address, then of its network. */
  const countersOf = (limit: LimitName, key: string | ClientHashes) => {
    if (typeof key === 'string') return [{ limiter: limiters[limit], key }]
    const { addressHash, networkHash } = key
    const network = networkHash ? [{ limiter: networkLimiters[limit], key: networkHash }] : []
    return [{ limiter: limiters[limit], key: addressHash }, ...network]
  }

  /**
   * Calls per user in this minute. `known`: stored, by all processes. `sending`: ours, being
   * stored. `unsent`: ours, not stored yet.
   */
  const calls = new Map<string, { minute: number; known: number; sending: number; unsent: number }>()
  const flush = async () => {
    const minute = currentMinute()
    for (const [userId, c] of calls) if (c.minute !== minute) calls.delete(userId)
    const sent = [...calls].filter(([, c]) => c.unsent > 0)
    if (sent.length === 0) return
    for (const [, c] of sent) {
      c.sending = c.unsent
      c.unsent = 0
    }
    try {
      const { rows } = await pool.query<{ user_id: string; calls: number }>(
        `insert into call_counts as c (user_id, minute, calls)
         select u, $2, n from unnest($1::uuid[], $3::int[]) as t(u, n) order by u
         on conflict (user_id, minute) do update set calls = c.calls + excluded.calls
         returning user_id, calls`,
        [sent.map(([userId]) => userId), minute, sent.map(([, c]) => c.sending)],
      )
      const all = new Map(rows.map((row) => [row.user_id, row.calls]))
      for (const [userId, c] of sent) {
        c.known = all.get(userId) ?? c.known + c.sending
        c.sending = 0
      }
    } catch {
      // Write them with the next batch.
      for (const [, c] of sent) {
        c.unsent += c.sending
        c.sending = 0
      }
    }
  }
  let flushing: Promise<void> | null = null
  const timer = setInterval(() => {
    flushing ??= flush().finally(() => {
      flushing = null
    })
  }, 1_000)
  timer.unref()

  const callsLeft: Limits['callsLeft'] = (caller) => {
    const entry = calls.get(caller)
    const made = entry?.minute === currentMinute() ? entry.known + entry.sending + entry.unsent : 0
    return { limit: CALLS_A_MINUTE, left: CALLS_A_MINUTE - made, seconds: 60 - Math.floor((Date.now() / 1000) % 60) }
  }

  return {
    async consume(limit, key) {
      try {
        let left = Number.POSITIVE_INFINITY
        for (const counter of countersOf(limit, key))
          left = Math.min(left, (await counter.limiter.consume(counter.key)).remainingPoints)
        return left
      } catch (error) {
        throw tooMany(error)
      }
    },
    async refund(limit, key) {
      for (const counter of countersOf(limit, key)) await counter.limiter.reward(counter.key)
    },
    async reset(limit, key) {
      await limiters[limit].delete(key)
    },
    countCall(caller, added = 1) {
      const { left, seconds } = callsLeft(caller)
      if (added > left) throw new Refusal('RATE_LIMITED', undefined, { retryAfterSeconds: seconds })
      const minute = currentMinute()
      const entry = calls.get(caller)
      if (entry?.minute === minute) entry.unsent += added
      else calls.set(caller, { minute, known: 0, sending: 0, unsent: added })
    },
    callsLeft,
    async purge() {
      // rate-limiter-flexible's types lack this method, which deletes the expired rows of all
      // limiters.
      const limiter = limiters.positionByAddress as unknown as { clearExpired(nowMs: number): Promise<void> }
      await limiter.clearExpired(Date.now())
      await pool.query('delete from call_counts where minute < $1', [currentMinute() - 5])
    },
    async close() {
      clearInterval(timer)
      await flushing
    },
  }
}

function mapLimits<T>(make: (limit: Limit) => T): Record<LimitName, T> {
  return Object.fromEntries(Object.entries(LIMITS).map(([name, limit]) => [name, make(limit)])) as Record<LimitName, T>
}

function currentMinute(): number {
  return Math.floor(Date.now() / 60_000)
}

function tooMany(error: unknown): unknown {
  if (!(error instanceof RateLimiterRes)) return error
  return new Refusal('RATE_LIMITED', undefined, {
    retryAfterSeconds: Math.max(1, Math.ceil(error.msBeforeNext / 1000)),
  })
}
