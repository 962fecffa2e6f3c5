import { createHash, randomBytes } from 'node:crypto'

export const SCOPES = ['tweet.read', 'users.read', 'follows.read', 'dm.read', 'dm.write', 'offline.access'] as const

const CODE_SECONDS = 30
const ACCESS_SECONDS = 2 * 60 * 60

/** A consent. All tokens issued from it are one family. */
export type Grant = { family: string; userId: string; clientId: string; scopes: string[] }

/** Stored on disk, so that tokens survive a restart. */
export type TokenEntry =
  | ({ type: 'tokens'; access: string; refresh?: string; expiresAt: number; usedRefresh?: string } & Grant)
  | { type: 'revokedFamily'; family: string }
  | { type: 'revokedAccess'; access: string }

export type TokenAnswer = {
  token_type: 'bearer'
  expires_in: number
  access_token: string
  scope: string
  refresh_token?: string
}

type Code = {
  userId: string
  clientId: string
  scopes: string[]
  redirectUri: string
  challenge: string
  expiresAt: number
}

/**
 * X's tokens: codes (30 seconds, once), access tokens (2 hours) and refresh tokens (once; a second
 * use revokes the family). `write` must store the entry before it returns.
 */
export function createTokens(now: () => number, write: (entry: TokenEntry) => void) {
  const codes = new Map<string, Code>()
  const access = new Map<string, Grant & { expiresAt: number }>()
  const refresh = new Map<string, Grant & { used: boolean }>()
  const signedIn = new Set<string>()
  const families = new Map<string, { access: Set<string>; refresh: Set<string> }>()

  const membersOf = (family: string) => {
    const members = families.get(family) ?? { access: new Set(), refresh: new Set() }
    families.set(family, members)
    return members
  }

  function apply(entry: TokenEntry) {
    if (entry.type === 'revokedAccess') {
      access.delete(entry.access)
      return
    }
    const members = membersOf(entry.family)
    if (entry.type === 'revokedFamily') {
      for (const token of members.access) access.delete(token)
      for (const token of members.refresh) refresh.delete(token)
      families.delete(entry.family)
      return
    }
    const { family, userId, clientId, scopes, expiresAt } = entry
    signedIn.add(userId)
    for (const token of members.access) {
      if ((access.get(token)?.expiresAt ?? 0) > now()) continue
      access.delete(token)
      members.access.delete(token)
    }
    const used = entry.usedRefresh === undefined ? undefined : refresh.get(entry.usedRefresh)
    if (used) used.used = true
    access.set(entry.access, { family, userId, clientId, scopes, expiresAt })
    members.access.add(entry.access)
    if (entry.refresh === undefined) return
    refresh.set(entry.refresh, { family, userId, clientId, scopes, used: false })
    members.refresh.add(entry.refresh)
  }

  function record(entry: TokenEntry) {
    write(entry)
    apply(entry)
  }

  function issue(grant: Grant, usedRefresh?: string): TokenAnswer {
    const answer: TokenAnswer = {
      token_type: 'bearer',
      expires_in: ACCESS_SECONDS,
      access_token: opaque(),
      scope: grant.scopes.join(' '),
    }
    if (grant.scopes.includes('offline.access')) answer.refresh_token = opaque()
    const { family, userId, clientId, scopes } = grant
    record({
      type: 'tokens',
      access: answer.access_token,
      refresh: answer.refresh_token,
      expiresAt: now() + ACCESS_SECONDS * 1000,
      usedRefresh,
      family,
      userId,
      clientId,
      scopes,
    })
    return answer
  }

  return {
    /** Replays a stored entry. */
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

    /** Exchanges a code for tokens, or names the problem. Either way the code is used up. */
    redeemCode(
      value: string,
      clientId: string,
      redirectUri: string,
      verifier: string,
    ): TokenAnswer | 'code' | 'redirect' | 'verifier' {
      const code = codes.get(value)
      codes.delete(value)
      if (!code || code.expiresAt <= now() || code.clientId !== clientId) return 'code'
      if (code.redirectUri !== redirectUri) return 'redirect'
      if (createHash('sha256').update(verifier).digest('base64url') !== code.challenge) return 'verifier'
      return issue({ family: opaque(), userId: code.userId, clientId, scopes: code.scopes })
    },

    /**
     * The next tokens of a family, or undefined for an unknown or reused refresh token. Reuse
     * revokes the family.
     */
    rotate(value: string, clientId: string): TokenAnswer | undefined {
      const grant = refresh.get(value)
      if (!grant || grant.clientId !== clientId) return undefined
      if (grant.used) {
        record({ type: 'revokedFamily', family: grant.family })
        return undefined
      }
      return issue(grant, value)
    },

    /** The owner of an access token, if it is valid. */
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
