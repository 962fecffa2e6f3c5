import type { Schemas } from '@xdevplatform/xdk'
import { expectTypeOf, test } from 'vitest'
import type { z } from 'zod'
import type { Subscription, Webhook } from './x-activity.ts'
import type { ChatConversation, ChatEvent } from './x-chat-event.ts'
import type { Conversation, Message, Own, Post, User } from './x-schemas.ts'

// The types of X's own client, made from X's OpenAPI file, check our schemas when they are compiled.

/** A name on the wire: X's client writes `followersCount` where X sends `followers_count`. */
type Snake<Name extends string> = Name extends `${infer Head}${infer Rest}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${Snake<Rest>}`
  : ''

/** X's data with every field. */
type Wire<Type> = Type extends (infer Item)[]
  ? Wire<Item>[]
  : Type extends object
    ? { [Name in keyof Type as Name extends string ? Snake<Name> : never]-?: Wire<Type[Name]> }
    : Type

/** The fields that our schema reads and X does not have, at any depth. */
type Unknown<Ours, Theirs> = Ours extends (infer Item)[]
  ? Theirs extends (infer Other)[]
    ? Unknown<Item, Other>
    : 'no list'
  : Ours extends object
    ? {
        [Name in keyof Ours]-?: Name extends keyof Theirs
          ? Unknown<NonNullable<Ours[Name]>, NonNullable<Theirs[Name]>>
          : Name
      }[keyof Ours]
    : never

test('reads only fields that X has, in the types that X gives them', () => {
  expectTypeOf<Wire<Schemas.User>>().toExtend<z.input<typeof User> & z.input<typeof Own>>()
  expectTypeOf<Unknown<z.input<typeof User> & z.input<typeof Own>, Wire<Schemas.User>>>().toBeNever()
  expectTypeOf<Wire<Schemas.Post>>().toExtend<z.input<typeof Post>>()
  expectTypeOf<Unknown<z.input<typeof Post>, Wire<Schemas.Post>>>().toBeNever()
  expectTypeOf<Wire<Schemas.DmEvent>>().toExtend<z.input<typeof Message> & z.input<typeof Conversation>>()
  expectTypeOf<Unknown<z.input<typeof Message>, Wire<Schemas.DmEvent>>>().toBeNever()
  expectTypeOf<Unknown<z.input<typeof Conversation>, Wire<Schemas.DmEvent>>>().toBeNever()
  expectTypeOf<Wire<Schemas.ChatConversation>>().toExtend<z.input<typeof ChatConversation>>()
  expectTypeOf<Unknown<z.input<typeof ChatConversation>, Wire<Schemas.ChatConversation>>>().toBeNever()
  expectTypeOf<Wire<Schemas.ChatMessageEvent>>().toExtend<z.input<typeof ChatEvent>>()
  expectTypeOf<Unknown<z.input<typeof ChatEvent>, Wire<Schemas.ChatMessageEvent>>>().toBeNever()
  expectTypeOf<Wire<Schemas.WebhookConfig>>().toExtend<z.input<typeof Webhook>>()
  expectTypeOf<Unknown<z.input<typeof Webhook>, Wire<Schemas.WebhookConfig>>>().toBeNever()
  type ListedSubscription = Wire<Schemas.GetActivitySubscriptionsResponseData>
  expectTypeOf<ListedSubscription>().toExtend<z.input<typeof Subscription>>()
  expectTypeOf<Unknown<z.input<typeof Subscription>, ListedSubscription>>().toBeNever()
})
