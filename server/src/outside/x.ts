import { X_SOURCES, type XSource } from '@x-automated/contract/platform/x-account'
import { CONNECTION_LOST } from '@x-automated/contract/reason'
import { AuthorizationResponseError, type Client, calculatePKCECodeChallenge, validateAuthResponse } from 'oauth4webapi'
import { z } from 'zod'

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

/**
 * `recipient`: cannot be messaged; `premium`: takes messages from Premium accounts only; `encrypted`:
 * the conversation is X Chat only; `forbidden`: the account or app lacks permission; `account`: locked
 * or restricted by X; `funds`: the app has no credits, or its spending limit is reached; `unavailable`:
 * not done, retry later; `unknown`: may have been done.
 */
type XErrorKind =
  | 'unauthorized'
  | 'credentials'
  | 'rate-limit'
  | 'recipient'
  | 'premium'
  | 'encrypted'
  | 'forbidden'
  | 'account'
  | 'funds'
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
/** For likers and list members. X shows likes to the post's author only, so we don't ask it. */
const LIKE_AND_LIST_SCOPES = 'like.read list.read'
const X_OWN_SOURCES: readonly XSource[] = ['followers', 'following', 'repliers', 'handles']

/**
 * X's own API, its authorization page, and its pay-per-use prices per profile read and direct
 * message (August 2026).
 */
const X_OWN_API = /^api\.(x|twitter)\.com$/
const X_AUTHORIZE_URL = 'https://x.com/i/oauth2/authorize'
const X_READ_PRICE_CENTS = 1
const X_SEND_PRICE_CENTS = 1.5

const USER_FIELDS = 'description,public_metrics,protected,location,url,profile_image_url,receives_your_dm'

export type XApi = ReturnType<typeof createXApi>

/**
 * The parts of X's API v2 that the product uses (https://docs.x.com/x-api). Failed calls throw
 * `XError`. One client serves every X account: calls take the account's access token.
 */
export function createXApi({
  apiUrl,
  clientId,
  clientSecret,
  timeoutMs = X_TIMEOUT_MS,
}: {
  apiUrl: string
  clientId: string
  clientSecret: string | null
  timeoutMs?: number
}) {
  const isXItself = X_OWN_API.test(new URL(apiUrl).hostname)
  const scopes = isXItself ? SCOPES : `${SCOPES} ${LIKE_AND_LIST_SCOPES}`
  const client: Client = { client_id: clientId }
  const call = (path: string, init?: XRequest) => callX(apiUrl, timeoutMs, path, init)
  let known: { grants: string[]; authorizeUrl: string } | null = null

  /** Reads the server metadata (RFC 8414). The real X publishes none. */
  async function discover() {
    if (known) return known
    const found = { grants: [] as string[], authorizeUrl: X_AUTHORIZE_URL }
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

  /** Calls an endpoint of OAuth 2.0 as our app, which is a public client without a secret. */
  function callAsApp(path: string, form: Record<string, string>) {
    const credentials = [clientId, clientSecret ?? ''].map(encodeURIComponent).join(':')
    return call(path, {
      method: 'POST',
      headers: clientSecret ? { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` } : {},
      body: new URLSearchParams({ ...form, ...(clientSecret ? {} : { client_id: clientId }) }),
    })
  }

  async function getTokens(form: Record<string, string>): Promise<XTokens> {
    const { data: tokens } = Tokens.safeParse(await callAsApp('/2/oauth2/token', form))
    if (!tokens) throw new XError('unknown', 'X sent no token.')
    return tokens
  }

  /** Null if X answers 404, or 200 with `errors` and no `data`. With neither, it has said nothing. */
  async function findOne<Found>(path: string, accessToken: string, schema: z.ZodType<Found>): Promise<Found | null> {
    try {
      const { data, errors } = await call(path, { accessToken })
      return data === undefined && Array.isArray(errors) && errors.length > 0 ? null : parsed(data, schema)
    } catch (error) {
      if (error instanceof XError && error.kind === 'not-found') return null
      throw error
    }
  }

  /** A page of people or posts, and the cursor of the next one. */
  async function readPage(path: string, accessToken: string, cursor: string | null) {
    const answer = await call(path, { accessToken })
    // Protected accounts return 200 with `errors` and no `data`.
    if (answer.data === undefined && Array.isArray(answer.errors))
      throw new XError('forbidden', String(answer.errors[0]?.detail ?? "X doesn't show these people."))
    const { data: page } = ListPage.safeParse(answer)
    // Only an explicit empty page ends the list.
    if (!page || (!page.data && page.meta.result_count !== 0))
      throw new XError('unknown', 'X sent an unexpected response.')
    const next = page.meta.next_token ?? null
    if (next !== null && next === cursor) throw new XError('unknown', 'X sent the same page again.')
    return { page, next }
  }

  return {
    /** X's price per profile or direct message read, in cents; 0 if free. */
    readPriceCents: isXItself ? X_READ_PRICE_CENTS : 0,
    /** The scrapes that this X offers. */
    sources: isXItself ? X_OWN_SOURCES : X_SOURCES,
    /** X's price per direct message, in cents; 0 if free. */
    sendPriceCents: isXItself ? X_SEND_PRICE_CENTS : 0,

    /** Sign-in methods by the server metadata. The real X offers OAuth only. */
    async signInMethods(): Promise<('password' | 'oauth')[]> {
      return (await discover()).grants.includes('password') ? ['password', 'oauth'] : ['oauth']
    },

    /** The URL where a person authorizes this app (OAuth 2.0 with PKCE). */
    async authorizeUrl({ state, codeVerifier, redirectUri }: XAuthorization): Promise<string> {
      const { authorizeUrl } = await discover()
      const url = new URL(authorizeUrl)
      url.search = new URLSearchParams({
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: scopes,
        state,
        code_challenge: await calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      }).toString()
      return url.href
    },

    /**
     * Exchanges the callback's code for tokens. Codes expire after 30 seconds. @throws XDeclined;
     * XError credentials: the response does not fit the request, or X rejected the code
     */
    async finishAuthorization(callback: URL, { state, codeVerifier, redirectUri }: XAuthorization) {
      let answer: URLSearchParams
      try {
        answer = validateAuthResponse({ issuer: apiUrl }, client, callback, state)
      } catch (error) {
        if (error instanceof AuthorizationResponseError) throw new XDeclined(error.error)
        throw new XError('credentials', "The response doesn't match the request.")
      }
      return getTokens({
        grant_type: 'authorization_code',
        code: answer.get('code') ?? '',
        redirect_uri: redirectUri,
        code_verifier: codeVerifier,
      })
    },

    signInWithPassword: (username: string, password: string) =>
      getTokens({ grant_type: 'password', username, password, scope: scopes }),

    refreshTokens: (refreshToken: string) => getTokens({ grant_type: 'refresh_token', refresh_token: refreshToken }),

    async revokeToken(token: string): Promise<void> {
      await callAsApp('/2/oauth2/revoke', { token })
    },

    async findMe(accessToken: string): Promise<XUser> {
      return userOf((await call(`/2/users/me?user.fields=${USER_FIELDS}`, { accessToken })).data)
    },

    /** Null if the handle does not exist. */
    async findUser(accessToken: string, handle: string): Promise<XUser | null> {
      const path = `/2/users/by/username/${encodeURIComponent(handle)}?user.fields=${USER_FIELDS},connection_status`
      return findOne(path, accessToken, User)
    },

    /** Null if the post does not exist. */
    async findPost(accessToken: string, id: string): Promise<XPost | null> {
      return findOne(`/2/tweets/${encodeURIComponent(id)}?tweet.fields=public_metrics`, accessToken, Post)
    },

    /** Null if the list does not exist or is hidden from the account. */
    async findList(accessToken: string, id: string): Promise<XList | null> {
      return findOne(`/2/lists/${encodeURIComponent(id)}?list.fields=member_count`, accessToken, List)
    },

    /** The existing people among at most 100 handles. */
    async findUsers(accessToken: string, handles: readonly string[]): Promise<XUser[]> {
      const query = new URLSearchParams({ usernames: handles.join(','), 'user.fields': USER_FIELDS })
      const { data, errors } = await call(`/2/users/by?${query}`, { accessToken })
      const users = z.array(z.unknown()).safeParse(data ?? [])
      if (!users.success || (data === undefined && !Array.isArray(errors)))
        throw new XError('unknown', 'X sent an unexpected response.')
      return users.data.map(userOf)
    },

    /**
     * One page of followers, followed people, likers of a post or members of a list; `next` is null
     * on the last.
     */
    async listUsers(
      accessToken: string,
      id: string,
      type: Exclude<XSource, 'repliers' | 'handles'>,
      { cursor, size }: { cursor: string | null; size: number },
    ): Promise<{ users: XUser[]; next: string | null }> {
      const query = new URLSearchParams({
        max_results: String(size),
        'user.fields': USER_FIELDS,
        ...(cursor ? { pagination_token: cursor } : {}),
      })
      const { page, next } = await readPage(`${LISTS[type](encodeURIComponent(id))}?${query}`, accessToken, cursor)
      return { users: (page.data ?? []).map(userOf), next }
    },

    /** The authors of a page of direct replies to a post, of the last 7 days. */
    async listRepliers(
      accessToken: string,
      postId: string,
      { cursor, size }: { cursor: string | null; size: number },
    ): Promise<{ users: XUser[]; next: string | null }> {
      const query = new URLSearchParams({
        query: `in_reply_to_tweet_id:${postId}`,
        max_results: String(size),
        expansions: 'author_id',
        'user.fields': USER_FIELDS,
        ...(cursor ? { pagination_token: cursor } : {}),
      })
      const { page, next } = await readPage(`/2/tweets/search/recent?${query}`, accessToken, cursor)
      return { users: (page.includes?.users ?? []).map(userOf), next }
    },

    async sendMessage(accessToken: string, recipientId: string, text: string): Promise<{ eventId: string }> {
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

    /** Messages of a one-to-one conversation, newest first, at most 100. */
    async listMessages(accessToken: string, participantId: string) {
      const query = 'max_results=100&event_types=MessageCreate&dm_event.fields=id,text,sender_id,created_at,event_type'
      const path = `/2/dm_conversations/with/${encodeURIComponent(participantId)}/dm_events?${query}`
      const { data } = await call(path, { accessToken })
      return ((data ?? []) as MessageEvent[]).map(messageOf)
    },

    /**
     * A page of messages of all one-to-one conversations, newest first; `next` is null on the last.
     * X keeps 30 days.
     */
    async listAllMessages(accessToken: string, cursor: string | null) {
      const query = new URLSearchParams({
        max_results: '100',
        event_types: 'MessageCreate',
        'dm_event.fields': 'id,text,sender_id,created_at,event_type,dm_conversation_id',
        expansions: 'sender_id',
        'user.fields': 'username',
        ...(cursor ? { pagination_token: cursor } : {}),
      })
      const answer = (await call(`/2/dm_events?${query}`, { accessToken })) as {
        data?: MessageEvent[]
        includes?: { users?: { id: string; username: string }[] }
        meta?: { next_token?: string }
      }
      const handles = Object.fromEntries((answer.includes?.users ?? []).map(({ id, username }) => [id, username]))
      const messages = (answer.data ?? []).flatMap((event): XConversationMessage[] => {
        // The id of a one-to-one conversation contains both users. Group messages are ignored.
        const [, one, other] = /^(\d+)-(\d+)$/.exec(event.dm_conversation_id ?? '') ?? []
        const recipientId = one === event.sender_id ? other : one
        return recipientId ? [{ ...messageOf(event), recipientId, handles }] : []
      })
      return { messages, next: answer.meta?.next_token ?? null }
    },
  }
}

type XRequest = { method?: string; headers?: Record<string, string>; body?: BodyInit; accessToken?: string }

/** Calls X. @throws XError */
export async function callX(
  apiUrl: string,
  timeoutMs: number,
  path: string,
  { accessToken, headers, ...rest }: XRequest = {},
): Promise<Record<string, unknown>> {
  let response: Response
  let text: string
  try {
    response = await fetch(`${apiUrl}${path}`, {
      ...rest,
      headers: {
        accept: 'application/json',
        ...(accessToken ? { authorization: `Bearer ${accessToken}` } : {}),
        ...headers,
      },
      signal: AbortSignal.timeout(timeoutMs),
      redirect: 'error',
    })
    text = await response.text()
  } catch (error) {
    const refused = (error as { cause?: { code?: string } }).cause?.code === 'ECONNREFUSED'
    throw new XError(refused ? 'unavailable' : 'unknown', refused ? 'X cannot be reached.' : 'X did not respond.')
  }
  const body = parse(text)
  if (!response.ok) throw errorOf(response, body)
  if (!body) throw new XError('unknown', "X sent a response that isn't JSON.")
  return body
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
function errorOf({ status, statusText, headers }: Response, body: Record<string, unknown> | null): XError {
  const inner = (Array.isArray(body?.errors) ? body.errors[0] : undefined) as
    | { code?: number; message?: string }
    | undefined
  const code = Number(body?.code ?? inner?.code ?? Number.NaN)
  const detail = String(
    body?.detail ?? body?.message ?? inner?.message ?? body?.error_description ?? body?.title ?? statusText,
  )
  const accountProblem = ACCOUNT_CODES.get(code)
  if (accountProblem) return new XError('account', accountProblem)
  if (status === 429 || status === 420) {
    const reset = Number(headers.get('x-rate-limit-reset')) * 1000
    return new XError(
      'rate-limit',
      "X's rate limit is reached.",
      new Date(reset > 0 ? reset : Date.now() + 15 * 60_000),
    )
  }
  if (['invalid_grant', 'invalid_client', 'unauthorized_client'].includes(String(body?.error)))
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

const Tokens = z
  .object({
    access_token: z.string(),
    refresh_token: z.string().nullish(),
    expires_in: z.coerce.number().default(7200),
  })
  .transform(({ access_token, refresh_token, expires_in }) => ({
    accessToken: access_token,
    /** Single use. Null without `offline.access`. */
    refreshToken: refresh_token ?? null,
    expiresAt: new Date(Date.now() + expires_in * 1000),
  }))
export type XTokens = z.output<typeof Tokens>

const LISTS = {
  followers: (id: string) => `/2/users/${id}/followers`,
  following: (id: string) => `/2/users/${id}/following`,
  likers: (id: string) => `/2/tweets/${id}/liking_users`,
  list_members: (id: string) => `/2/lists/${id}/members`,
}

const Post = z
  .object({
    id: z.string().min(1),
    public_metrics: z.object({ like_count: z.number().nullish(), reply_count: z.number().nullish() }).nullish(),
  })
  .transform(({ id, public_metrics }) => ({
    id,
    likeCount: public_metrics?.like_count ?? 0,
    replyCount: public_metrics?.reply_count ?? 0,
  }))
type XPost = z.output<typeof Post>

const List = z
  .object({ id: z.string().min(1), member_count: z.number().nullish() })
  .transform(({ id, member_count }) => ({ id, memberCount: member_count ?? 0 }))
type XList = z.output<typeof List>

const ListPage = z.object({
  data: z.array(z.unknown()).optional(),
  includes: z.object({ users: z.array(z.unknown()).optional() }).optional(),
  meta: z.object({ result_count: z.number(), next_token: z.string().min(1).nullish() }),
})

const text = z.string().nullish()
const User = z
  .object({
    id: z.string().min(1),
    username: z.string().min(1),
    name: text,
    description: text,
    protected: z.boolean().nullish(),
    connection_status: z.array(z.string()).nullish(),
    receives_your_dm: z.boolean().nullish(),
    location: text,
    url: text,
    profile_image_url: text,
    public_metrics: z
      .object({ followers_count: z.number().nullish(), following_count: z.number().nullish() })
      .nullish(),
  })
  .transform(({ connection_status, receives_your_dm, public_metrics, ...user }) => ({
    id: user.id,
    handle: user.username,
    name: user.name ?? user.username,
    bio: user.description ?? '',
    followerCount: public_metrics?.followers_count ?? 0,
    followingCount: public_metrics?.following_count ?? 0,
    protected: user.protected ?? false,
    /** By the account that asks; a protected account has approved it then. Null if unknown. */
    isFollowed: connection_status?.includes('following') ?? null,
    /** Whether they take messages from the account that asks. Null if unknown. */
    takesMessages: receives_your_dm ?? null,
    location: user.location || null,
    website: user.url || null,
    profileImageUrl: user.profile_image_url || null,
  }))
export type XUser = z.output<typeof User>

const userOf = (data: unknown): XUser => parsed(data, User)

function parsed<Data>(data: unknown, schema: z.ZodType<Data>): Data {
  const result = schema.safeParse(data)
  if (!result.success) throw new XError('unknown', 'X sent an unexpected response.')
  return result.data
}

type MessageEvent = {
  id: string
  sender_id: string
  text?: string
  created_at: string
  dm_conversation_id?: string
}

function messageOf({ id, sender_id, text = '', created_at }: MessageEvent) {
  return { id, senderId: sender_id, text, at: new Date(created_at) }
}

/** A message in any of the account's conversations; `handles` by user id, those that X included. */
export type XConversationMessage = ReturnType<typeof messageOf> & {
  recipientId: string
  handles: Record<string, string>
}
