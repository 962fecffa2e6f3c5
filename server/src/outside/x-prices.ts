/**
 * X's pay-per-use prices in thousandths of a dollar, per resource in a response, per message sent and
 * per event delivered (https://docs.x.com/x-api/getting-started/pricing, August 2026); null: X
 * publishes none. X charges for the same resource once per UTC day and app, and for each message.
 */
export const X_PRICES = {
  message: 15,
  user: 10,
  /** Followers of the account that owns the app, and people whom it follows ("Owned Reads"). */
  owned_user: 1,
  dm_event: 10,
  post: 5,
  list: 5,
  chat_conversation: null,
  chat_event: null,
  public_key: null,
  dm_delivery: 10,
  chat_delivery: 10,
  post_delivery: 5,
  follow_delivery: 10,
  profile_delivery: 5,
} as const satisfies Record<string, number | null>
export type XResource = keyof typeof X_PRICES

/** The resource that X charges for delivering an event of this type; null: none. */
export function deliveryOf(eventType: string): XResource | null {
  if (eventType === 'dm.received') return 'dm_delivery'
  if (eventType === 'chat.received') return 'chat_delivery'
  if (eventType === 'post.reply.create' || eventType === 'post.mention.create') return 'post_delivery'
  if (eventType === 'follow.follow') return 'follow_delivery'
  return eventType.startsWith('profile.update.') ? 'profile_delivery' : null
}

/** A resource that X charges for. */
export interface XBillable {
  resource: XResource
  /** X's id of the resource. */
  id: string
}

/** Whether the address is X's own API, which charges, unlike the stand-in. */
export const isXItself = (apiUrl: string) => /^api\.(x|twitter)\.com$/.test(new URL(apiUrl).hostname)
