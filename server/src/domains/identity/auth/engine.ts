import { AsyncLocalStorage } from 'node:async_hooks'
import { drizzleAdapter } from 'better-auth/adapters/drizzle'
import { symmetricDecrypt } from 'better-auth/crypto'
import { type BetterAuthOptions, betterAuth } from 'better-auth/minimal'
import { jwt } from 'better-auth/plugins/jwt'
import { desc } from 'drizzle-orm'
import type { Db } from '../../../db/open.ts'
import { hashToken } from '../../../sealing.ts'
import { authIdentities, authKeys, authSessions, authUsers, authVerifications } from './tables.ts'

/** Lifetime of an access token. */
export const ACCESS_TOKEN_SECONDS = 15 * 60
/** A session expires this long after its last refresh. */
export const SESSION_DAYS = 30
const KEY_ROTATION_DAYS = 90
/** A retired key still verifies tokens for this long. */
export const KEY_GRACE_SECONDS = 86_400

interface AuthEngineOptions {
  db: Db
  secret: string
  /** The product's origin: issuer and audience of access tokens. */
  origin: string
}

/** better-auth behind our own routes. `within(tx, …)` runs its queries in a transaction. */
export function createAuthEngine({ db, secret, origin }: AuthEngineOptions) {
  const calls = new AsyncLocalStorage<Db>()
  const current = () => calls.getStore() ?? db
  // The adapter keeps one handle forever, so this proxy resolves to the current call's transaction.
  const handle = new Proxy({} as Db, {
    get: (_, key) => {
      const value = Reflect.get(current(), key)
      return typeof value === 'function' ? value.bind(current()) : value
    },
  })
  const adapter = drizzleAdapter(handle as never, {
    provider: 'pg',
    schema: {
      user: authUsers,
      session: authSessions,
      account: authIdentities,
      verification: authVerifications,
      jwks: authKeys,
    },
  })

  const auth = betterAuth({
    baseURL: origin,
    basePath: '/api/auth',
    secret,
    telemetry: { enabled: false },
    logger: { disabled: true },
    database: (options: BetterAuthOptions) => withHashedSessionTokens(adapter(options)),
    advanced: { database: { generateId: () => false }, cookiePrefix: 'x-automated' } as never,
    rateLimit: { enabled: false },
    session: { expiresIn: SESSION_DAYS * 86_400, updateAge: 0, cookieCache: { enabled: false } },
    plugins: [
      jwt({
        disableSettingJwtHeader: true,
        jwks: {
          keyPairConfig: { alg: 'EdDSA', crv: 'Ed25519' },
          rotationInterval: KEY_ROTATION_DAYS * 86_400,
          gracePeriod: KEY_GRACE_SECONDS,
        },
        jwt: { issuer: origin, audience: origin, expirationTime: `${ACCESS_TOKEN_SECONDS}s` },
      }),
    ],
  })

  return {
    api: auth.api,
    /** Runs `work` with the engine's queries inside the transaction `tx`. */
    within: <T>(tx: Db, work: () => Promise<T>): Promise<T> => calls.run(tx, work),
  }
}

/**
 * Checks that the database was encrypted with this AUTH_SECRET, before anything is written with
 * another one. @throws Error with the fix, if it was not
 */
export async function checkSecret(db: Db, secret: string): Promise<void> {
  const [key] = await db.select().from(authKeys).orderBy(desc(authKeys.createdAt)).limit(1)
  if (!key) return
  await symmetricDecrypt({ key: secret, data: JSON.parse(key.privateKey) }).catch((error: Error) => {
    throw new Error(
      'The database is encrypted with another AUTH_SECRET. Set that one. ' +
        'If AUTH_SECRET was not set, it is the content of the file auth-secret in the DATA_DIR used then.',
      { cause: error },
    )
  })
}

export type AuthEngine = ReturnType<typeof createAuthEngine>

interface TokenClause {
  field: string
  value: unknown
}
interface AdapterQuery {
  model: string
  where?: TokenClause[]
  data?: Record<string, unknown>
  update?: Record<string, unknown>
}

/** Stores and looks up hashes of better-auth's session tokens, which it stores in plain text. */
function withHashedSessionTokens<A extends object>(adapter: A): A {
  return new Proxy(adapter, {
    get(target, key) {
      const method = Reflect.get(target, key)
      if (typeof method !== 'function' || key === 'transaction' || key === 'createSchema') return method
      return async (query: AdapterQuery) => {
        if (query?.model !== 'session') return method.call(target, query)
        const plain = query.data?.token
        const result = await method.call(target, {
          ...query,
          ...(query.where && { where: query.where.map(hashedClause) }),
          ...(query.data && { data: hashedField(query.data) }),
          ...(query.update && { update: hashedField(query.update) }),
        })
        return plain && result ? { ...result, token: plain } : result
      }
    },
  })
}

function hashedClause(clause: TokenClause): TokenClause {
  if (clause.field !== 'token') return clause
  return {
    ...clause,
    value: Array.isArray(clause.value) ? clause.value.map(hashToken) : hashToken(String(clause.value)),
  }
}

function hashedField(row: Record<string, unknown>): Record<string, unknown> {
  return typeof row.token === 'string' ? { ...row, token: hashToken(row.token) } : row
}
