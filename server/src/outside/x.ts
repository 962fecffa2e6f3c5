import { X_SOURCES, type XSource } from '@x-automated/contract/platform/x-account'
import { AuthorizationResponseError, type Client, calculatePKCECodeChallenge, validateAuthResponse } from 'oauth4webapi'
import { z } from 'zod'
import { createXCall, dataOf, type XAnswer, type XRequest } from './x-call.ts'
import { ChatConversation, chatEventOf, pathIdOf, type XChatConversation, type XChatEvent } from './x-chat-event.ts'
import { XError } from './x-errors.ts'
import { dayLimitsOf, type XDayLimits } from './x-limits.ts'
import { isXItself, X_PRICES } from './x-prices.ts'
import type { XReport } from './x-report.ts'
import {
  conversationMessagesOf,
  List,
  messagesOf,
  ownUserOf,
  Post,
  parsed,
  Tokens,
  User,
  unreadable,
  userOf,
  type XConversationMessage,
  XId,
  type XList,
  type XMessage,
  type XOwnUser,
  type XPost,
  type XTokens,
  type XUser,
} from './x-schemas.ts'

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

/** Everything the product does with an account. */
const SCOPES = 'tweet.read users.read follows.read dm.read dm.write offline.access'
/** For likers and list members. Not requested from the real X, which shows likes only to the post's author. */
const LIKE_AND_LIST_SCOPES = 'like.read list.read'
const X_OWN_SOURCES: readonly XSource[] = ['followers', 'following', 'repliers', 'handles']

/** X's authorization page. */
const X_AUTHORIZE_URL = 'https://x.com/i/oauth2/authorize'

const USER_FIELDS = 'description,public_metrics,protected,location,url,profile_image_url,receives_your_dm,entities'
const OWN_FIELDS = `${USER_FIELDS},verified_type,subscription_type`
const MESSAGE_FIELDS = {
  event_types: 'MessageCreate',
  'dm_event.fields': 'id,text,created_at,event_type,entities,dm_conversation_id',
}

const LISTS = {
  followers: (id: string) => `/2/users/${id}/followers`,
  following: (id: string) => `/2/users/${id}/following`,
  likers: (id: string) => `/2/tweets/${id}/liking_users`,
  list_members: (id: string) => `/2/lists/${id}/members`,
}

/** Selects a page: `cursor` is null for the first page, else the previous page's `next`. `size` is the maximum. */
interface PageInput {
  cursor: string | null
  size: number
}
const pageQuery = ({ cursor, size }: PageInput) => ({
  max_results: String(size),
  ...(cursor ? { pagination_token: cursor } : {}),
})

export type XApi = ReturnType<typeof createXApi>

/**
 * The parts of X's API v2 that the product uses (https://docs.x.com/x-api). Failed calls throw
 * `XError`. One client serves every X account: calls take the account's access token.
 */
export function createXApi({
  apiUrl,
  clientId,
  clientSecret,
  isPriced = isXItself(apiUrl),
  timeoutMs,
  report,
}: {
  apiUrl: string
  clientId: string
  clientSecret: string | null
  /** Whether calls cost X's published prices. By default, only those to the real X do. */
  isPriced?: boolean
  timeoutMs?: number
  report?: XReport
}) {
  const isX = isXItself(apiUrl)
  const scopes = isX ? SCOPES : `${SCOPES} ${LIKE_AND_LIST_SCOPES}`
  const client: Client = { client_id: clientId }
  const { call, read } = createXCall({ apiUrl, timeoutMs, report })
  let cached: { grants: string[]; authorizeUrl: string } | null = null

  /** Reads the server metadata (RFC 8414). The real X publishes none. */
  async function discover() {
    if (cached) return cached
    const metadata = { grants: [] as string[], authorizeUrl: X_AUTHORIZE_URL }
    try {
      const response = await fetch(`${apiUrl}/.well-known/oauth-authorization-server`, {
        signal: AbortSignal.timeout(3_000),
        redirect: 'error',
      })
      if (response.ok) {
        const body = (await response.json()) as { grant_types_supported?: string[]; authorization_endpoint?: string }
        metadata.grants = body.grant_types_supported ?? []
        metadata.authorizeUrl = body.authorization_endpoint ?? X_AUTHORIZE_URL
      }
      // A 404 means that there is no metadata; other errors say nothing.
      if (response.ok || response.status === 404) cached = metadata
    } catch {
      // Ask again next time.
    }
    return metadata
  }

  /** Calls an endpoint of OAuth 2.0 as our app. Without a secret, the app is a public client. */
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

  /** Finds a resource; null if X says that it does not exist. @throws XError not-found: the person is suspended */
  async function findOne<Found>(path: string, request: XRequest, schema: z.ZodType<Found>): Promise<Found | null> {
    try {
      return await read(path, request, (response) => parsed(dataOf(response), schema))
    } catch (error) {
      if (error instanceof XError && error.kind === 'not-found' && !error.isSuspended) return null
      throw error
    }
  }

  return {
    /** X's price per profile or direct message read, in cents; 0 if free. */
    readPriceCents: isPriced ? X_PRICES.user / 10 : 0,
    /** The sources that can be scraped. The real X offers fewer than the stand-in. */
    sources: isX ? X_OWN_SOURCES : X_SOURCES,
    /** X's price per direct message, in cents; 0 if free. */
    sendPriceCents: isPriced ? X_PRICES.message / 10 : 0,

    /** Sign-in methods according to the server metadata. The real X offers OAuth only. */
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
      let callbackParameters: URLSearchParams
      try {
        callbackParameters = validateAuthResponse({ issuer: apiUrl }, client, callback, state)
      } catch (error) {
        if (error instanceof AuthorizationResponseError) throw new XDeclined(error.error)
        throw new XError('credentials', "The response doesn't match the request.")
      }
      return getTokens({
        grant_type: 'authorization_code',
        code: callbackParameters.get('code') ?? '',
        redirect_uri: redirectUri,
        code_verifier: codeVerifier,
      })
    },

    signInWithPassword: (username: string, password: string) =>
      getTokens({ grant_type: 'password', username, password, scope: scopes }),

    refreshTokens: (refreshToken: string) => getTokens({ grant_type: 'refresh_token', refresh_token: refreshToken }),

    /** Checks that X accepts the app's id and secret. @throws XError app: X does not; other kinds: unknown */
    async checkApp(): Promise<void> {
      try {
        await getTokens({ grant_type: 'refresh_token', refresh_token: 'none' })
      } catch (error) {
        // X checks the app before the token, so an error about the token means that X accepts the
        // app.
        if (!(error instanceof XError) || (error.kind !== 'credentials' && error.kind !== 'invalid')) throw error
      }
    },

    async revokeToken(token: string): Promise<void> {
      await callAsApp('/2/oauth2/revoke', { token })
    },

    async findMe(accessToken: string): Promise<XOwnUser> {
      return read(`/2/users/me?user.fields=${OWN_FIELDS}`, { accessToken }, (response) => ownUserOf(dataOf(response)))
    },

    /** Finds a user by handle; null if the handle does not exist. */
    async findUser(accessToken: string, handle: string): Promise<XUser | null> {
      const path = `/2/users/by/username/${encodeURIComponent(handle)}?user.fields=${USER_FIELDS},connection_status`
      return findOne(path, { accessToken }, User)
    },

    /** Finds a user by id; null if X has no such user. */
    async findUserById(accessToken: string, id: string): Promise<XUser | null> {
      return findOne(`/2/users/${encodeURIComponent(id)}?user.fields=${USER_FIELDS}`, { accessToken }, User)
    },

    /** Finds a post; null if it does not exist. */
    async findPost(accessToken: string, id: string): Promise<XPost | null> {
      return findOne(`/2/tweets/${encodeURIComponent(id)}?post.fields=public_metrics`, { accessToken }, Post)
    },

    /** Finds a list; null if it does not exist or is hidden from the account. */
    async findList(accessToken: string, id: string): Promise<XList | null> {
      return findOne(`/2/lists/${encodeURIComponent(id)}?list.fields=member_count`, { accessToken }, List)
    },

    /** The existing people among at most 100 handles. */
    async findUsers(accessToken: string, handles: readonly string[]): Promise<XUser[]> {
      const query = new URLSearchParams({ usernames: handles.join(','), 'user.fields': USER_FIELDS })
      return read(`/2/users/by?${query}`, { accessToken }, ({ data, errors }) =>
        data === undefined && Array.isArray(errors) ? [] : parsed(data, z.array(User)),
      )
    },

    /**
     * One page of followers, followed people, likers of a post or members of a list; `next` is null
     * on the last.
     */
    async listUsers(
      accessToken: string,
      id: string,
      type: Exclude<XSource, 'repliers' | 'handles'>,
      input: PageInput,
    ): Promise<{ users: XUser[]; next: string | null }> {
      const query = new URLSearchParams({ ...pageQuery(input), 'user.fields': USER_FIELDS })
      const path = `${LISTS[type](encodeURIComponent(id))}?${query}`
      return read(path, { accessToken }, (response) => {
        const { data, next } = pageOf(response, input)
        return { users: data.map(userOf), next }
      })
    },

    /** The authors of a page of direct replies to a post, of the last 7 days. */
    async listRepliers(
      accessToken: string,
      postId: string,
      input: PageInput,
    ): Promise<{ users: XUser[]; next: string | null }> {
      const query = new URLSearchParams({
        query: `in_reply_to_tweet_id:${postId}`,
        ...pageQuery(input),
        expansions: 'author_id',
        'user.fields': USER_FIELDS,
      })
      return read(`/2/tweets/search/recent?${query}`, { accessToken }, (response) => {
        const { users, next } = pageOf(response, input)
        return { users: users.map(userOf), next }
      })
    },

    /**
     * Sends a message. @returns X's id of the message, and what is left of the 24-hour limits of
     * the account and the app
     */
    async sendMessage(
      accessToken: string,
      recipientId: string,
      text: string,
    ): Promise<{ eventId: string; days?: XDayLimits }> {
      const path = `/2/dm_conversations/with/${encodeURIComponent(recipientId)}/messages`
      let days: XDayLimits | undefined
      const request: XRequest = {
        method: 'POST',
        accessToken,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ text }),
        onHeaders: (headers) => {
          days = dayLimitsOf(headers)
        },
      }
      return read(path, request, (response) => {
        const sent = Sent.safeParse(dataOf(response))
        if (!sent.success) throw unreadable("X didn't confirm that the message was sent.")
        return { eventId: sent.data.dm_event_id, ...(days ? { days } : {}) }
      })
    },

    /**
     * A page of messages of a one-to-one conversation, newest first. @throws XError unknown: the
     * page may be incomplete
     */
    async listMessages(
      accessToken: string,
      participantId: string,
      page: PageInput,
    ): Promise<{ messages: XMessage[]; next: string | null; isEmpty: boolean }> {
      const query = new URLSearchParams({ ...pageQuery(page), ...MESSAGE_FIELDS, expansions: 'sender_id' })
      const path = `/2/dm_conversations/with/${encodeURIComponent(participantId)}/dm_events?${query}`
      return read(path, { accessToken }, (response) => {
        const { data, next } = pageOf(response, page)
        return { messages: messagesOf(data), next, isEmpty: data.length === 0 }
      })
    },

    /**
     * A page of messages of all one-to-one conversations, newest first; `next` is null on the last.
     * X keeps 30 days. @throws XError unknown: the page may be incomplete
     */
    async listAllMessages(
      accessToken: string,
      page: PageInput,
    ): Promise<{ messages: XConversationMessage[]; next: string | null }> {
      const query = new URLSearchParams({
        ...pageQuery(page),
        ...MESSAGE_FIELDS,
        expansions: 'sender_id,participant_ids',
        'user.fields': 'username',
      })
      return read(`/2/dm_events?${query}`, { accessToken }, (response) => {
        const { data, users, next } = pageOf(response, page)
        return { messages: conversationMessagesOf(data, users), next }
      })
    },

    /** A page of X Chat's conversations, usually the most recently changed first. */
    async listChatConversations(
      accessToken: string,
      page: PageInput,
    ): Promise<{ conversations: XChatConversation[]; next: string | null; hasMessageRequests: boolean }> {
      const query = new URLSearchParams({
        ...pageQuery(page),
        'chat_conversation.fields': 'id,type,updated_at',
        expansions: 'participant_ids',
      })
      const request = { accessToken, unpublished: 'chat conversations' }
      return read(`/2/chat/conversations?${query}`, request, (response) => {
        const { data, next, hasMessageRequests } = pageOf(response, page)
        return { conversations: data.map((item) => parsed(item, ChatConversation)), next, hasMessageRequests }
      })
    },

    /** A page of a conversation's events in X Chat, encrypted. */
    async listChatEvents(
      accessToken: string,
      conversationId: string,
      page: PageInput,
    ): Promise<{ events: XChatEvent[]; next: string | null }> {
      const fields = 'id,sender_id,created_at,conversation_id,encoded_event'
      const query = new URLSearchParams({ ...pageQuery(page), 'chat_message_event.fields': fields })
      const path = `/2/chat/conversations/${encodeURIComponent(pathIdOf(conversationId))}/events?${query}`
      return read(path, { accessToken, unpublished: 'chat events' }, (response) => {
        const { data, next } = pageOf(response, page)
        return { events: data.map((event) => chatEventOf(event, conversationId)), next }
      })
    },

    /** Whether a user has set up X Chat. */
    async hasPublicKey(accessToken: string, userId: string): Promise<boolean> {
      const path = `/2/users/${encodeURIComponent(userId)}/public_keys?public_key.fields=public_key_version`
      const keys = await findOne(path, { accessToken, unpublished: 'public keys' }, Keys)
      return keys !== null && keys.length > 0
    },
  }
}

const Sent = z.object({ dm_event_id: XId })
const Page = z.object({
  data: z.array(z.unknown()).optional(),
  includes: z.object({ users: z.array(z.unknown()).nullish() }).nullish(),
  meta: z.object({
    result_count: z.number().nullish(),
    next_token: z.string().min(1).nullish(),
    has_message_requests: z.unknown().optional(),
  }),
})

/** Reads a page of a list. @throws XError unknown: it is empty, but X does not say so, or X sent the same page again */
function pageOf(response: XAnswer, { cursor }: PageInput) {
  // Protected accounts return 200 with `errors` and no `data`.
  dataOf(response)
  const { data = [], includes, meta } = parsed(response, Page)
  if (data.length === 0 && meta.result_count !== 0) throw unreadable()
  const next = meta.next_token ?? null
  if (next !== null && next === cursor) throw unreadable('X sent the same page again.')
  return { data, users: includes?.users ?? [], next, hasMessageRequests: meta.has_message_requests === true }
}

const Keys = z.union([z.array(z.unknown()), z.looseObject({}).transform((key) => [key])])
