import type { XApi } from './x.ts'
import { X_PRICES, type XBillable, type XResource } from './x-prices.ts'

/** X's charge for a call: `most` is the maximum, known before the call; `of` is what its result costs. */
interface Billing<Call extends (...args: never[]) => Promise<unknown>> {
  most(...args: Parameters<Call>): Partial<Record<XResource, number>>
  of(result: Awaited<ReturnType<Call>>, ...args: Parameters<Call>): XBillable[]
}
/** All calls except those for signing in, for which X charges nothing. A call without a price does not compile. */
type Calls = Omit<
  { [Name in keyof XApi as XApi[Name] extends (...args: never[]) => Promise<unknown> ? Name : never]: XApi[Name] },
  | 'signInMethods'
  | 'checkApp'
  | 'authorizeUrl'
  | 'finishAuthorization'
  | 'signInWithPassword'
  | 'refreshTokens'
  | 'revokeToken'
>

const each = (resource: XResource, items: readonly ({ id: string } | null)[]): XBillable[] =>
  items.flatMap((item) => (item ? [{ resource, id: item.id }] : []))

/** The calls that X charges for. A message's charge is counted where its outcome is recorded. */
function billingOf(isOwner: (xUserId: string) => boolean) {
  const personOf = (id: string, type: string): XResource =>
    (type === 'followers' || type === 'following') && isOwner(id) ? 'owned_user' : 'user'
  return {
    sendMessage: { most: () => ({ message: 1 }), of: () => [] },
    findMe: { most: () => ({ user: 1 }), of: (user) => each('user', [user]) },
    findUser: { most: () => ({ user: 1 }), of: (user) => each('user', [user]) },
    findUserById: { most: () => ({ user: 1 }), of: (user) => each('user', [user]) },
    findUsers: { most: (_, handles) => ({ user: handles.length }), of: (users) => each('user', users) },
    findPost: { most: () => ({ post: 1 }), of: (post) => each('post', [post]) },
    findList: { most: () => ({ list: 1 }), of: (list) => each('list', [list]) },
    listUsers: {
      most: (_, id, type, { size }) => ({ [personOf(id, type)]: size }),
      of: ({ users }, _, id, type) => each(personOf(id, type), users),
    },
    // X charges for each reply's post and author. Posts are not kept, so each author counts as one
    // post.
    listRepliers: {
      most: (_, _post, { size }) => ({ user: size, post: size }),
      of: ({ users }, _, postId) => [
        ...each('user', users),
        ...users.map(({ id }) => ({ resource: 'post' as const, id: `${postId} ${id}` })),
      ],
    },
    listMessages: {
      most: (_, _id, { size }) => ({ dm_event: size }),
      of: ({ messages }) => each('dm_event', messages),
    },
    listAllMessages: { most: (_, { size }) => ({ dm_event: size }), of: ({ messages }) => each('dm_event', messages) },
    listChatConversations: {
      most: () => ({}),
      of: ({ conversations }) => each('chat_conversation', conversations),
    },
    listChatEvents: {
      most: () => ({}),
      of: ({ events }) => events.map(({ identity: id }) => ({ resource: 'chat_event' as const, id })),
    },
    hasPublicKey: { most: () => ({}), of: (_, _token, id) => [{ resource: 'public_key' as const, id }] },
  } satisfies { [Name in keyof Calls]: Billing<Calls[Name]> }
}

/** Counts what calls cost. */
export interface XMeter {
  /** Reserves costs. @param mills the most that the call may cost @throws XError funds: it must not be made now */
  reserve(call: { mills: number; name: string }): Promise<void>
  /** Counts what a call cost. @param mills as reserved; @param error what the call threw, or null */
  settle(outcome: { billables: XBillable[]; mills: number; name: string; error: unknown }): void
}

/** Wraps X's API so that every call is metered. @param isOwner whether an X user owns the app */
export function metered(x: XApi, meter: XMeter, isOwner: (xUserId: string) => boolean): XApi {
  const calls = Object.entries(billingOf(isOwner)).map(([name, billing]) => {
    const { most, of } = billing as Billing<(...args: unknown[]) => Promise<unknown>>
    const call = x[name as keyof Calls] as (...args: unknown[]) => Promise<unknown>
    const counted = async (...args: unknown[]) => {
      const mills = millsOf(most(...args))
      await meter.reserve({ name, mills })
      try {
        const result = await call(...args)
        meter.settle({ name, mills, billables: of(result, ...args), error: null })
        return result
      } catch (error) {
        meter.settle({ name, mills, billables: [], error })
        throw error
      }
    }
    return [name, counted]
  })
  return { ...x, ...(Object.fromEntries(calls) as Partial<XApi>) }
}

const millsOf = (counts: Partial<Record<XResource, number>>) =>
  Object.entries(counts).reduce((sum, [resource, count]) => sum + count * (X_PRICES[resource as XResource] ?? 0), 0)
