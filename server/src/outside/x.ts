import { CONNECTION_LOST } from '@x-automated/contract/reason'
import { AuthorizationResponseError, type Client, calculatePKCECodeChallenge, validateAuthResponse } from 'oauth4webapi'

/**
 * The parts of X's API v2 that the product uses (https://docs.x.com/x-api). Failed calls throw
 * `XError`. One client serves every X account: calls take the account's access token.
 */
export interface XApi {
  /**
   * Sign-in methods by the server metadata (RFC 8414). The real X publishes none and offers OAuth
   * only.
   */
  signInMethods(): Promise<('password' | 'oauth')[]>
  /** The URL where a person authorizes this app (OAuth 2.0 with PKCE). */
  authorizeUrl(request: XAuthorization): Promise<string>
  /**
   * Exchanges the callback's code for tokens. Codes expire after 30 seconds. @throws XDeclined;
   * XError credentials: the response does not fit the request, or X rejected the code
   */
  finishAuthorization(callback: URL, request: XAuthorization): Promise<XTokens>
  /** X's price per follower or followed profile read, in cents; 0 if free. */
  readPriceCents: number
  /** X's price per direct message, in cents; 0 if free. */
  sendPriceCents: number
  signInWithPassword(username: string, password: string): Promise<XTokens>
  refreshTokens(refreshToken: string): Promise<XTokens>
  revokeToken(token: string): Promise<void>
  findMe(accessToken: string): Promise<XUser>
  /** Null if the handle does not exist. */
  findUser(accessToken: string, handle: string): Promise<XUser | null>
  /** One page of followers or followed people; `next` is null on the last. */
  listFollows(
    accessToken: string,
    userId: string,
    type: 'followers' | 'following',
    page: { cursor: string | null; size: number },
  ): Promise<{ users: XUser[]; next: string | null }>
  sendMessage(accessToken: string, recipientId: string, text: string): Promise<{ eventId: string }>
  /** Messages of a one-to-one conversation, newest first, at most 100. */
  listMessages(accessToken: string, participantId: string): Promise<XMessage[]>
  /**
   * A page of messages of all one-to-one conversations, newest first; `next` is null on the last. X
   * keeps 30 days.
   */
  listAllMessages(
    accessToken: string,
    cursor: string | null,
  ): Promise<{ messages: XConversationMessage[]; next: string | null }>
}

/** Binds X's response to our request. Generated for each connection. */
export interface XAuthorization {
  state: string
  codeVerifier: string
  /** Our callback, as registered with X. */
  redirectUri: string
}

/** The person declined on X's page, or X reported an error. */
export class XDeclined extends Error {
  readonly cancelled: boolean
  constructor(error: string) {
    super(`X answered ${error}`)
    this.name = 'XDeclined'
    this.cancelled = error === 'access_denied'
  }
}

export interface XTokens {
  accessToken: string
  /** Single use. Null without `offline.access`. */
  refreshToken: string | null
  expiresAt: Date
}

export interface XUser {
  id: string
  handle: string
  name: string
  bio: string
  followerCount: number
  followingCount: number
  protected: boolean
  /** By the account that asks; a protected account has approved it then. Null if unknown. */
  isFollowed: boolean | null
  location: string | null
  website: string | null
  profileImageUrl: string | null
}

export interface XMessage {
  id: string
  senderId: string
  text: string
  at: Date
}

/** A message in any of the account's conversations; `handles` by user id, those that X included. */
export interface XConversationMessage extends XMessage {
  recipientId: string
  handles: Record<string, string>
}

/**
 * `recipient`: cannot be messaged; `forbidden`: the account or app lacks permission; `account`:
 * locked or restricted by X; `unavailable`: not done, retry later; `unknown`: may have been done.
 */
export type XErrorKind =
  | 'unauthorized'
  | 'credentials'
  | 'rate-limit'
  | 'recipient'
  | 'forbidden'
  | 'account'
  | 'not-found'
  | 'invalid'
  | 'unavailable'
  | 'unknown'

export class XError extends Error {
  readonly kind: XErrorKind
  readonly retryAt: Date | null

  constructor(kind: XErrorKind, message: string, retryAt: Date | null = null) {
    super(message)
    this.name = 'XError'
    this.kind = kind
    this.retryAt = retryAt
  }
}

/**
 * Timeout of a call. A send that timed out is settled by reading the conversation, once it can no
 * longer take effect.
 */
export const X_TIMEOUT_MS = 15_000

/** Everything the product does with an account. */
const SCOPES = 'tweet.read users.read follows.read dm.read dm.write offline.access'

/**
 * X's own API, its authorization page, and its pay-per-use prices per profile read and direct
 * message (August 2026).
 */
const X_OWN_API = /^api\.(x|twitter)\.com$/
const X_AUTHORIZE_URL = 'https://x.com/i/oauth2/authorize'
const X_READ_PRICE_CENTS = 1
const X_SEND_PRICE_CENTS = 1.5

const USER_FIELDS = 'description,public_metrics,protected,location,url,profile_image_url'

export interface XOptions {
  apiUrl: string
  clientId: string
  clientSecret: string | null
  timeoutMs?: number
}

export function createXApi({ apiUrl, clientId, clientSecret, timeoutMs = X_TIMEOUT_MS }: XOptions): XApi {
  const isXItself = X_OWN_API.test(new URL(apiUrl).hostname)
  let known: Metadata | null = null
  const client: Client = { client_id: clientId }

  /** Reads the server metadata (RFC 8414). The real X publishes none. */
  async function discover(): Promise<Metadata> {
    if (known) return known
    const found: Metadata = { grants: [], authorizeUrl: X_AUTHORIZE_URL }
    try {
      const response = await fetch(`${apiUrl}/.well-known/oauth-authorization-server`, {
        signal: AbortSignal.timeout(3_000),
        redirect: 'error',
      })
      if (response.ok) {
        const body = (await response.json()) as { grant_types_supported?: string[]; authorization_endpoint?: string }
        found.grants = body.grant_types_supported ?? []
        found.authorizeUrl = body.authorization_endpoint ?? X_AUTHORIZE_URL
      }
      // A 404 means that there is no metadata; other errors say nothing.
      if (response.ok || response.status === 404) known = found
    } catch {
      // Ask again next time.
    }
    return found
  }

  const call = (path: string, init?: RequestInit & { accessToken?: string }) => callX(apiUrl, timeoutMs, path, init)

  function tokenCall(form: Record<string, string>): Promise<Record<string, unknown>> {
    const basic = clientSecret
      ? {
          authorization: `Basic ${Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`).toString('base64')}`,
        }
      : {}
    return call('/2/oauth2/token', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...(basic as Record<string, string>) },
      body: new URLSearchParams({ ...form, ...(clientSecret ? {} : { client_id: clientId }) }).toString(),
    })
  }

  return {
    readPriceCents: isXItself ? X_READ_PRICE_CENTS : 0,
    sendPriceCents: isXItself ? X_SEND_PRICE_CENTS : 0,
    async signInMethods() {
      return (await discover()).grants.includes('password') ? ['password', 'oauth'] : ['oauth']
    },
    async authorizeUrl({ state, codeVerifier, redirectUri }) {
      const { authorizeUrl } = await discover()
      const url = new URL(authorizeUrl)
      url.search = new URLSearchParams({
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: SCOPES,
        state,
        code_challenge: await calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      }).toString()
      return url.href
    },
    async finishAuthorization(callback, { state, codeVerifier, redirectUri }) {
      let answer: URLSearchParams
      try {
        answer = validateAuthResponse({ issuer: apiUrl }, client, callback, state)
      } catch (error) {
        if (error instanceof AuthorizationResponseError) throw new XDeclined(error.error)
        throw new XError('credentials', "The response doesn't match the request.")
      }
      return tokensOf(
        await tokenCall({
          grant_type: 'authorization_code',
          code: answer.get('code') ?? '',
          redirect_uri: redirectUri,
          code_verifier: codeVerifier,
        }),
      )
    },
    async signInWithPassword(username, password) {
      return tokensOf(
        await tokenCall({
          grant_type: 'password',
          username,
          password,
          scope: SCOPES,
        }),
      )
    },
    async refreshTokens(refreshToken) {
      return tokensOf(await tokenCall({ grant_type: 'refresh_token', refresh_token: refreshToken }))
    },
    async revokeToken(token) {
      const basic = clientSecret
        ? `Basic ${Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`).toString('base64')}`
        : null
      await call('/2/oauth2/revoke', {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...(basic ? { authorization: basic } : {}) },
        body: new URLSearchParams({ token, ...(basic ? {} : { client_id: clientId }) }).toString(),
      })
    },
    async findMe(accessToken) {
      return userOf((await call(`/2/users/me?user.fields=${USER_FIELDS}`, { accessToken })).data)
    },
    async findUser(accessToken, handle) {
      try {
        const path = `/2/users/by/username/${encodeURIComponent(handle)}?user.fields=${USER_FIELDS},connection_status`
        const { data, errors } = await call(path, { accessToken })
        // Unknown handles return 200 with `errors` and no `data`. With neither, the response says
        // nothing.
        return data === undefined && Array.isArray(errors) && errors.length > 0 ? null : userOf(data)
      } catch (error) {
        if (error instanceof XError && error.kind === 'not-found') return null
        throw error
      }
    },
    async listFollows(accessToken, userId, type, { cursor, size }) {
      const query = new URLSearchParams({
        max_results: String(size),
        'user.fields': USER_FIELDS,
        ...(cursor ? { pagination_token: cursor } : {}),
      })
      const answer = await call(`/2/users/${encodeURIComponent(userId)}/${type}?${query}`, { accessToken })
      const { data, errors } = answer
      const meta = answer.meta as { result_count?: unknown; next_token?: unknown } | null | undefined
      // Protected accounts return 200 with `errors` and no `data`.
      if (data === undefined && Array.isArray(errors))
        throw new XError('forbidden', String(errors[0]?.detail ?? "X doesn't show these people."))
      // Only an explicit empty page ends the list.
      const isPage = data === undefined ? meta?.result_count === 0 : Array.isArray(data)
      const next = meta?.next_token ?? null
      const isPlace = next === null || (typeof next === 'string' && next !== '')
      if (!isPage || typeof meta?.result_count !== 'number' || !isPlace)
        throw new XError('unknown', 'X sent an unexpected response.')
      if (next !== null && next === cursor) throw new XError('unknown', 'X sent the same page again.')
      return { users: ((data ?? []) as unknown[]).map(userOf), next }
    },
    async sendMessage(accessToken, recipientId, text) {
      const { data } = await call(`/2/dm_conversations/with/${encodeURIComponent(recipientId)}/messages`, {
        method: 'POST',
        accessToken,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ text }),
      })
      const eventId = (data as { dm_event_id?: string } | undefined)?.dm_event_id
      if (!eventId) throw new XError('unknown', "X didn't confirm that the message was sent.")
      return { eventId }
    },
    async listMessages(accessToken, participantId) {
      const query = 'max_results=100&event_types=MessageCreate&dm_event.fields=id,text,sender_id,created_at,event_type'
      const { data } = await call(`/2/dm_conversations/with/${encodeURIComponent(participantId)}/dm_events?${query}`, {
        accessToken,
      })
      return ((data ?? []) as { id: string; sender_id: string; text?: string; created_at: string }[]).map((event) => ({
        id: event.id,
        senderId: event.sender_id,
        text: event.text ?? '',
        at: new Date(event.created_at),
      }))
    },
    async listAllMessages(accessToken, cursor) {
      const query = new URLSearchParams({
        max_results: '100',
        event_types: 'MessageCreate',
        'dm_event.fields': 'id,text,sender_id,created_at,event_type,dm_conversation_id',
        expansions: 'sender_id',
        'user.fields': 'username',
        ...(cursor ? { pagination_token: cursor } : {}),
      })
      const { data, includes, meta } = await call(`/2/dm_events?${query}`, { accessToken })
      const users = ((includes as { users?: { id: string; username: string }[] } | undefined)?.users ?? []).map(
        ({ id, username }) => [id, username] as const,
      )
      const handles = Object.fromEntries(users)
      type Event = { id: string; sender_id: string; text?: string; created_at: string; dm_conversation_id?: string }
      const messages = ((data ?? []) as Event[]).flatMap((event) => {
        // The id of a one-to-one conversation contains both users. Group messages are ignored.
        const pair = /^(\d+)-(\d+)$/.exec(event.dm_conversation_id ?? '')
        const recipientId = pair && (pair[1] === event.sender_id ? pair[2] : pair[1])
        return recipientId
          ? [
              {
                id: event.id,
                senderId: event.sender_id,
                recipientId,
                text: event.text ?? '',
                at: new Date(event.created_at),
                handles,
              },
            ]
          : []
      })
      return { messages, next: (meta as { next_token?: string } | undefined)?.next_token ?? null }
    },
  }
}

/** Calls X. @throws XError */
export async function callX(
  apiUrl: string,
  timeoutMs: number,
  path: string,
  init: RequestInit & { accessToken?: string } = {},
): Promise<Record<string, unknown>> {
  const { accessToken, ...rest } = init
  let response: Response
  let text: string
  try {
    response = await fetch(`${apiUrl}${path}`, {
      ...rest,
      headers: {
        accept: 'application/json',
        ...(accessToken ? { authorization: `Bearer ${accessToken}` } : {}),
        ...(rest.headers as Record<string, string>),
      },
      signal: AbortSignal.timeout(timeoutMs),
      redirect: 'error',
    })
    text = await response.text()
  } catch (error) {
    const refused = (error as { cause?: { code?: string } }).cause?.code === 'ECONNREFUSED'
    throw new XError(refused ? 'unavailable' : 'unknown', refused ? 'X cannot be reached.' : 'X did not answer.')
  }
  const body = parse(text)
  if (!response.ok) throw errorOf(response, body)
  if (!body) throw new XError('unknown', "X sent a response that isn't JSON.")
  return body
}

interface Metadata {
  grants: string[]
  authorizeUrl: string
}

function parse(text: string): Record<string, unknown> | null {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : null
  } catch {
    return null
  }
}

/** Codes of X's older error format that concern the account, not the call. */
const ACCOUNT_CODES = new Map([
  [226, "X flagged this account's activity as automated. Wait a while, then refresh its status under Connect X."],
  [326, 'X has locked this account. Unlock it on x.com, then refresh its status under Connect X.'],
  [64, 'X has suspended this account.'],
])

/** Maps an error response to an XError, by status and by X's error codes. */
function errorOf(response: Response, body: Record<string, unknown> | null): XError {
  const inner = (Array.isArray(body?.errors) ? body.errors[0] : undefined) as
    | { code?: number; message?: string }
    | undefined
  const code = Number(body?.code ?? inner?.code ?? Number.NaN)
  const detail = String(
    body?.detail ?? body?.message ?? inner?.message ?? body?.error_description ?? body?.title ?? response.statusText,
  )
  const accountProblem = ACCOUNT_CODES.get(code)
  if (accountProblem) return new XError('account', accountProblem)
  const { status } = response
  if (status === 429 || status === 420) {
    const reset = Number(response.headers.get('x-rate-limit-reset'))
    return new XError(
      'rate-limit',
      "X's rate limit is reached.",
      reset > 0 ? new Date(reset * 1000) : new Date(Date.now() + 15 * 60_000),
    )
  }
  if (body?.error === 'invalid_grant' || body?.error === 'invalid_client' || body?.error === 'unauthorized_client')
    return new XError('credentials', detail)
  if (status === 401) return new XError('unauthorized', CONNECTION_LOST)
  if (status === 403)
    return new XError(
      code === 349 || /permission to DM|cannot send messages/i.test(detail) ? 'recipient' : 'forbidden',
      detail,
    )
  if (status === 404) return new XError('not-found', detail)
  if (status >= 500) return new XError('unknown', 'X is having trouble.')
  return new XError('invalid', detail)
}

function tokensOf(body: Record<string, unknown>): XTokens {
  if (typeof body.access_token !== 'string') throw new XError('unknown', 'X sent no token.')
  return {
    accessToken: body.access_token,
    refreshToken: typeof body.refresh_token === 'string' ? body.refresh_token : null,
    expiresAt: new Date(Date.now() + Number(body.expires_in ?? 7200) * 1000),
  }
}

function userOf(data: unknown): XUser {
  const user = data as
    | {
        id?: string
        username?: string
        name?: string
        description?: string
        protected?: boolean
        connection_status?: string[]
        location?: string
        url?: string
        profile_image_url?: string
        public_metrics?: { followers_count?: number; following_count?: number }
      }
    | undefined
  if (!user?.id || !user.username) throw new XError('unknown', 'X sent an unexpected response.')
  return {
    id: user.id,
    handle: user.username,
    name: user.name ?? user.username,
    bio: user.description ?? '',
    followerCount: user.public_metrics?.followers_count ?? 0,
    followingCount: user.public_metrics?.following_count ?? 0,
    protected: user.protected ?? false,
    isFollowed: Array.isArray(user.connection_status) ? user.connection_status.includes('following') : null,
    location: user.location || null,
    website: user.url || null,
    profileImageUrl: user.profile_image_url || null,
  }
}
