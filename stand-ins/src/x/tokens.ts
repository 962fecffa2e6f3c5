import { createHash, randomBytes } from 'node:crypto'

export const SCOPES = [
  'tweet.read',
  'users.read',
  'follows.read',
  'dm.read',
  'dm.write',
  'offline.access',
  'like.read',
  'list.read',
] as const

const CODE_SECONDS = 30
const ACCESS_SECONDS = 2 * 60 * 60

/** A user's consent. All tokens issued for it form one family. */
export type Grant = { family: string; userId: string; clientId: string; scopes: string[] }

/** Stored on disk, so that tokens survive a restart. */
export type TokenEntry =
  | ({ type: 'tokens'; access: string; refresh?: string; expiresAt: number; usedRefresh?: string | undefined } & Grant)
  | { type: 'revokedFamily'; family: string }
  | { type: 'revokedAccess'; access: string }

type Code = {
  userId: string
  clientId: string
  scopes: string[]
  redirectUri: string
  challenge: string
  expiresAt: number
}

/**
 * Manages X's tokens: codes (valid once, for 30 seconds), access tokens (2 hours) and refresh tokens
 * (valid once; reuse revokes the family). `write` must store the entry before returning.
 */
export function createTokens(now: () => number, write: (entry: TokenEntry) => void) {
  const codes = new Map<string, Code>()
  const access = new Map<string, Grant & { expiresAt: number }>()
  const refresh = new Map<string, Grant & { used: boolean }>()
  const signedIn = new Set<string>()

  function apply(entry: TokenEntry) {
    if (entry.type === 'revokedAccess') {
      access.delete(entry.access)
      return
    }
    if (entry.type === 'revokedFamily') {
      for (const tokens of [access, refresh])
        for (const [token, { family }] of tokens) if (family === entry.family) tokens.delete(token)
      return
    }
    const { family, userId, clientId, scopes, expiresAt } = entry
    signedIn.add(userId)
    const used = refresh.get(entry.usedRefresh ?? '')
    if (used) used.used = true
    access.set(entry.access, { family, userId, clientId, scopes, expiresAt })
    if (entry.refresh) refresh.set(entry.refresh, { family, userId, clientId, scopes, used: false })
  }

  function record(entry: TokenEntry) {
    write(entry)
    apply(entry)
  }

  function issue({ family, userId, clientId, scopes }: Grant, usedRefresh?: string) {
    const tokens = { access: opaque(), ...(scopes.includes('offline.access') && { refresh: opaque() }) }
    const expiresAt = now() + ACCESS_SECONDS * 1000
    record({ type: 'tokens', ...tokens, expiresAt, usedRefresh, family, userId, clientId, scopes })
    return {
      token_type: 'bearer',
      expires_in: ACCESS_SECONDS,
      access_token: tokens.access,
      scope: scopes.join(' '),
      ...(tokens.refresh && { refresh_token: tokens.refresh }),
    }
  }

  return {
    /** Applies an entry from disk. */
    replay: apply,

    /** Issues the first tokens of a new family. */
    open: (userId: string, clientId: string, scopes: string[]) => issue({ family: opaque(), userId, clientId, scopes }),

    /** Issues an authorization code. */
    issueCode(code: Omit<Code, 'expiresAt'>): string {
      for (const [old, { expiresAt }] of codes) if (expiresAt <= now()) codes.delete(old)
      const value = opaque()
      codes.set(value, { ...code, expiresAt: now() + CODE_SECONDS * 1000 })
      return value
    },

    /** Exchanges a code for tokens, or returns the problem. The code is used up in either case. */
    redeemCode(value: string, clientId: string, redirectUri: string, verifier: string) {
      const code = codes.get(value)
      codes.delete(value)
      if (!code || code.expiresAt <= now() || code.clientId !== clientId)
        return 'Value passed for the authorization code was invalid.'
      if (code.redirectUri !== redirectUri)
        return 'Value passed for the redirect uri did not match the uri of the authorization code.'
      if (createHash('sha256').update(verifier).digest('base64url') !== code.challenge)
        return 'Value passed for the code verifier did not match the code challenge.'
      return issue({ family: opaque(), userId: code.userId, clientId, scopes: code.scopes })
    },

    /** Issues a family's next tokens; undefined if the refresh token is unknown or reused. Reuse revokes the family. */
    rotate(value: string, clientId: string) {
      const grant = refresh.get(value)
      if (!grant || grant.clientId !== clientId) return undefined
      if (grant.used) {
        record({ type: 'revokedFamily', family: grant.family })
        return undefined
      }
      return issue(grant, value)
    },

    /** Returns the consent behind an access token, if the token is valid. */
    find(value: string): Grant | undefined {
      const grant = access.get(value)
      return grant && grant.expiresAt > now() ? grant : undefined
    },

    hasSignedIn: (userId: string) => signedIn.has(userId),

    /**
     * Revokes an access token, or a refresh token's whole family. Ignores unknown tokens (RFC
     * 7009).
     */
    revoke(value: string, clientId: string) {
      const grant = refresh.get(value)
      if (grant?.clientId === clientId) record({ type: 'revokedFamily', family: grant.family })
      else if (access.get(value)?.clientId === clientId) record({ type: 'revokedAccess', access: value })
    },
  }
}

export type Tokens = ReturnType<typeof createTokens>

function opaque() {
  return randomBytes(32).toString('base64url')
}
