import { z } from 'zod'
import { XError } from './x-errors.ts'

/** The error for a response that cannot be read. */
export function unreadable(message = 'X sent an unexpected response.'): XError {
  return new XError('unknown', message, null, { isUnreadable: true })
}

/** Parses what X sends into the form that the product uses. @throws XError unknown: it cannot be read */
export function parsed<Data>(data: unknown, schema: z.ZodType<Data>): Data {
  const result = schema.safeParse(data)
  if (!result.success) throw unreadable()
  return result.data
}

export const Tokens = z
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

export const Post = z
  .object({
    id: z.string().min(1),
    public_metrics: z.object({ like_count: z.number().nullish(), reply_count: z.number().nullish() }).nullish(),
  })
  .transform(({ id, public_metrics }) => ({
    id,
    likeCount: public_metrics?.like_count ?? 0,
    replyCount: public_metrics?.reply_count ?? 0,
  }))
export type XPost = z.output<typeof Post>

export const List = z
  .object({ id: z.string().min(1), member_count: z.number().nullish() })
  .transform(({ id, member_count }) => ({ id, memberCount: member_count ?? 0 }))
export type XList = z.output<typeof List>

const text = z.string().nullish()
/** X shortens every link to t.co, and lists the full address separately. */
const Links = z
  .array(z.object({ url: text, expanded_url: text }))
  .nullish()
  .catch(null)
type Links = z.output<typeof Links>

/** Returns the links of a text, each with its t.co address. */
function linksOf(links: Links): { url: string; expandedUrl: string }[] {
  return (links ?? []).flatMap(({ url, expanded_url }) =>
    url && expanded_url ? [{ url, expandedUrl: expanded_url }] : [],
  )
}

export const User = z
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
    entities: z
      .object({ url: z.object({ urls: Links }).nullish(), description: z.object({ urls: Links }).nullish() })
      .nullish()
      .catch(null),
    public_metrics: z
      .object({ followers_count: z.number().nullish(), following_count: z.number().nullish() })
      .nullish(),
  })
  .transform(({ connection_status, receives_your_dm, public_metrics, entities, ...user }) => ({
    id: user.id,
    handle: user.username,
    name: user.name ?? user.username,
    bio: linksOf(entities?.description?.urls).reduce(
      (bio, { url, expandedUrl }) => bio.replaceAll(url, () => expandedUrl),
      user.description ?? '',
    ),
    followerCount: public_metrics?.followers_count ?? 0,
    followingCount: public_metrics?.following_count ?? 0,
    protected: user.protected ?? false,
    /**
     * Whether the account that asks follows the user. A protected user has then approved the
     * account. Null if unknown.
     */
    isFollowed: connection_status?.includes('following') ?? null,
    /** Whether the user takes messages from the account that asks. Null if unknown. */
    takesMessages: receives_your_dm ?? null,
    location: user.location || null,
    website: linksOf(entities?.url?.urls)[0]?.expandedUrl || user.url || null,
    profileImageUrl: user.profile_image_url || null,
  }))
export type XUser = z.output<typeof User>

export const userOf = (data: unknown): XUser => parsed(data, User)

export const Own = z
  .object({ verified_type: text, subscription_type: text })
  .transform(({ verified_type, subscription_type }) => ({
    /** 'blue', 'business', 'government' or 'none'. Null if unknown. */
    verifiedType: verified_type || null,
    /** 'Basic', 'Premium', 'PremiumPlus' or 'None'. Null if unknown. */
    subscriptionType: subscription_type || null,
  }))

/** Parses the account that asks. */
export const ownUserOf = (data: unknown) => ({ ...userOf(data), ...parsed(data, Own) })
export type XOwnUser = ReturnType<typeof ownUserOf>

/** X's ids are numbers of up to 64 bits. */
export const XId = z.string().regex(/^\d{1,20}$/)
const Moment = z.iso.datetime({ offset: true }).transform((moment) => new Date(moment))

/** A message of the older system, in plain text. */
export interface XMessage {
  id: string
  senderId: string
  at: Date
  text: string
  /** The links of the text, if X names them. */
  links?: readonly { url: string; expandedUrl: string }[]
}
export const Message = z
  .object({
    id: XId,
    sender_id: XId,
    created_at: Moment,
    text: text,
    entities: z.object({ urls: Links }).nullish().catch(null),
  })
  .transform(
    ({ id, sender_id, created_at, text, entities }): XMessage => ({
      id,
      senderId: sender_id,
      at: created_at,
      text: text ?? '',
      links: linksOf(entities?.urls),
    }),
  )

/** A message in any of the account's conversations; `handles` by user id, those that X included. */
export type XConversationMessage = XMessage & { recipientId: string; handles: Record<string, string> }

/** An event that is not a message. Only MessageCreate is a message, and X may leave the type out. */
const OtherEvent = z.object({ event_type: z.string().refine((type) => type !== 'MessageCreate') })

/** The messages among the events of a page. @throws XError unknown: one cannot be read */
export function messagesOf(events: readonly unknown[]): XMessage[] {
  return events.flatMap((event) => (OtherEvent.safeParse(event).success ? [] : [parsed(event, Message)]))
}

/** The two people of a conversation by its id, in either form and order; null for a group. */
export function pairOf(conversationId: string): [string, string] | null {
  const [, first = '', second = ''] = /^(\d{1,20})[-:](\d{1,20})$/.exec(conversationId) ?? []
  return first && second ? [first, second] : null
}

/** Whether a conversation's id is that of a group in X Chat. */
export const isGroup = (conversationId: string) => /^g/i.test(conversationId)
/** Whether a conversation's id is that of a group in the older system: one number. */
const isOlderGroup = (conversationId: string) => /^\d{1,20}$/.test(conversationId)

export const Conversation = z.object({ dm_conversation_id: text, participant_ids: z.array(XId).nullish() })
const Handle = z.object({ id: XId, username: z.string().min(1) })

/** Like `messagesOf`, with each message's recipient. Ignores messages of groups. */
export function conversationMessagesOf(
  events: readonly unknown[],
  users: readonly unknown[] = [],
): XConversationMessage[] {
  const handles = Object.fromEntries(
    users.flatMap((user) => {
      const { data } = Handle.safeParse(user)
      return data ? [[data.id, data.username]] : []
    }),
  )
  return events.flatMap((event) => {
    const [message] = messagesOf([event])
    if (!message) return []
    const { dm_conversation_id: id, participant_ids: participants } = parsed(event, Conversation)
    if (id ? isGroup(id) || isOlderGroup(id) : (participants?.length ?? 0) > 2) return []
    const pair = (id && pairOf(id)) || (participants?.length === 2 ? participants : null)
    if (!pair) throw unreadable('X sent a message without its conversation.')
    if (!pair.includes(message.senderId))
      throw unreadable("X sent a message of someone who isn't part of its conversation.")
    const recipientId = pair.find((party) => party !== message.senderId)
    return recipientId ? [{ ...message, recipientId, handles }] : []
  })
}
