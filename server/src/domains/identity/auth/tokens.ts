import { setTimeout as sleep } from 'node:timers/promises'
import type { Role } from '@x-automated/contract/route'
import { gt, sql } from 'drizzle-orm'
import {
  createLocalJWKSet,
  type FlattenedJWSInput,
  type JSONWebKeySet,
  type JWTHeaderParameters,
  type JWTPayload,
  jwtVerify,
} from 'jose'
import type { Actor, WorkspaceScope } from '../../../actor.ts'
import type { Channels } from '../../../db/channels.ts'
import type { Database, Db } from '../../../db/open.ts'
import { retryWhileUnavailable } from '../../../db/unavailable.ts'
import { listMembershipChanges, MEMBERSHIPS_CHANNEL, membershipKey } from '../workspaces/workspaces.ts'
import { ACCESS_TOKEN_SECONDS, KEY_GRACE_SECONDS, sealEarlierKeys, signToken } from './engine.ts'
import { authKeys, authRevocations } from './tables.ts'

// Issues access tokens, and verifies them without a database read for each.

export interface Auth {
  /** Signs an access token with these claims. */
  sign(db: Db, claims: JWTPayload & { exp: number }): Promise<string>
  /** Verifies an access token without a database read. @returns null if it is not valid */
  verify(token: string): Promise<Actor | null>
  publicKeys(): Promise<JSONWebKeySet>
  /** False if the keys were read and there were none. */
  knowsKeys(): boolean
  revoke(db: Db, sessionIds: string[]): Promise<void>
  close(): void
}

interface AuthOptions {
  database: Database
  channels: Channels
  origin: string
  secret: string
}

/** Maximum number of verified tokens to cache. */
const VERIFIED_MAX = 10_000

/** Opens authentication for this process: keys, revocations and membership changes. */
export async function openAuth({ database, channels, origin, secret }: AuthOptions): Promise<Auth> {
  const { db } = database.for('signIn')
  await retryWhileUnavailable(() => sealEarlierKeys(db, secret))
  const revocations = await openRevocations(db, channels)
  const keys = createKeys(db)
  /** Verified tokens, cached until they expire, so that each signature is checked once. */
  const verified = new Map<string, { actor: Actor; version: number; expiresAt: number }>()

  return {
    sign: (tx, claims) => signToken(tx, { secret, origin }, claims),
    async verify(token) {
      const cached = verified.get(token)
      if (cached) {
        if (cached.expiresAt > Date.now()) return revocations.allow(cached.actor, cached.version) ? cached.actor : null
        verified.delete(token)
      }
      const options = { issuer: origin, audience: origin, algorithms: ['EdDSA'] }
      try {
        const { payload } = await jwtVerify<Claims>(token, keys.find, options)
        const { sub, sid, wid, role, mv: version = 0, exp } = payload
        if (!sub || !sid || !wid || !role || !exp) return null
        const actor: Actor = { userId: sub, sessionId: sid, workspaceId: wid as WorkspaceScope, role }
        if (verified.size >= VERIFIED_MAX) verified.clear()
        verified.set(token, { actor, version, expiresAt: exp * 1000 })
        return revocations.allow(actor, version) ? actor : null
      } catch (error) {
        if ((error as { code?: string }).code?.startsWith('ERR_J')) return null
        throw error
      }
    },
    publicKeys: keys.load,
    knowsKeys: keys.areKnown,
    async revoke(tx, sessionIds) {
      if (sessionIds.length === 0) return
      await tx
        .insert(authRevocations)
        .values(sessionIds.map((sessionId) => ({ sessionId })))
        .onConflictDoNothing()
      for (const id of sessionIds) {
        await tx.execute(sql`select pg_notify(${REVOCATIONS_CHANNEL}, ${id})`)
        revocations.add(id)
      }
    },
    close: revocations.close,
  }
}

/** The claims of our access tokens in addition to `sub` and `exp`. */
interface Claims {
  sid?: string
  wid?: string
  role?: Role
  /** The version of the membership. */
  mv?: number
}

/** A cache of the public keys of our access tokens. */
function createKeys(db: Db) {
  let cached: { set: JSONWebKeySet; resolve: ReturnType<typeof createLocalJWKSet> } | null = null
  const read = async () => {
    // Retired keys stay available for as long as tokens signed with them may exist.
    const isOld = sql`${authKeys.expiresAt} < now() - make_interval(secs => ${KEY_GRACE_SECONDS})`
    const rows = await db.select().from(authKeys).where(sql`(${isOld}) is not true`)
    const set = {
      keys: rows.map((row) => ({ ...JSON.parse(row.publicKey), kid: row.id, alg: row.alg ?? 'EdDSA', use: 'sig' })),
    } as JSONWebKeySet
    cached = { set, resolve: createLocalJWKSet(set) }
    return cached
  }
  let reloadedAt = 0
  let reloading: ReturnType<typeof read> | null = null
  /** Reads the keys again, at most once a second. */
  const reload = async () => {
    await sleep(Math.max(0, reloadedAt + 1_000 - Date.now()), undefined, { ref: false })
    reloading = null
    reloadedAt = Date.now()
    return read()
  }
  return {
    load: async () => (await read()).set,
    areKnown: () => cached?.set.keys.length !== 0,
    /** Finds the key that signed a token. */
    async find(header: JWTHeaderParameters, token: FlattenedJWSInput) {
      const current = cached ?? (await read())
      if (current.set.keys.some(({ kid }) => kid === header.kid)) return current.resolve(header, token)
      // The key may be newer than the cache, or its id may be forged.
      reloading ??= reload()
      return (await reloading).resolve(header, token)
    },
  }
}

export const REVOCATIONS_CHANNEL = 'revocations'
/** Poll interval, because database notifications can be lost. */
const REVOCATION_POLL_MS = 20_000

/** Caches which sessions have ended and which memberships have changed, for as long as access tokens last. */
async function openRevocations(db: Db, channels: Channels) {
  const revoked = new Map<string, number>()
  /** The minimum token version per membership. It rises when the role changes or the membership ends. */
  const outdated = new Map<string, { version: number; knownAt: number }>()
  const outdate = (key: string, version: number) => {
    const previous = outdated.get(key)?.version ?? 0
    outdated.set(key, { version: Math.max(previous, version), knownAt: Date.now() })
  }
  const load = async () => {
    const since = new Date(Date.now() - ACCESS_TOKEN_SECONDS * 1000 - 60_000)
    for (const { key, version } of await listMembershipChanges(db, since)) outdate(key, version)
    for (const [key, { knownAt }] of outdated) if (knownAt < since.getTime()) outdated.delete(key)
    const rows = await db.select().from(authRevocations).where(gt(authRevocations.revokedAt, since))
    for (const row of rows) revoked.set(row.sessionId, row.revokedAt.getTime())
    for (const [id, at] of revoked) if (at < since.getTime()) revoked.delete(id)
  }
  await retryWhileUnavailable(load)
  const poll = setInterval(() => void load().catch(() => {}), REVOCATION_POLL_MS)
  poll.unref()
  const add = (sessionId: string) => void revoked.set(sessionId, Date.now())
  const stopListening = [
    channels.subscribe(REVOCATIONS_CHANNEL, add),
    channels.subscribe(MEMBERSHIPS_CHANNEL, (payload) => {
      const [workspaceId = '', userId = '', version] = payload.split(' ')
      outdate(membershipKey({ workspaceId, userId }), Number(version))
    }),
  ]
  return {
    /** Whether a token of this version is still valid. */
    allow: (actor: Actor, version: number) =>
      !revoked.has(actor.sessionId) && (outdated.get(membershipKey(actor))?.version ?? 0) <= version,
    add,
    close() {
      clearInterval(poll)
      for (const stop of stopListening) stop()
    },
  }
}
