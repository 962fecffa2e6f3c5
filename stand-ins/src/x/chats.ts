import { randomUUID } from 'node:crypto'
import type { ChatEvent, ChatKind, Failure } from './chat-events.ts'
import { snowflakes } from './ids.ts'

/** Stored on disk, so that conversations survive a restart. */
export type ChatEntry = { type: 'chat' } & ChatEvent

type NewChatEvent = {
  from: string
  to: string
  kind?: ChatKind | undefined
  text?: string | undefined
  /** Only for a group: its id, which begins with g. */
  group?: string | undefined
  failure?: Failure | undefined
  /** Only for failures and deletions: the id of the message that they are about. */
  messageId?: string | undefined
}

/**
 * Keeps all events of X Chat, in the order in which they took effect. `dm_events` contains none of
 * them. `write` must store before returning.
 */
export function createChats(options: {
  now: () => number
  write: (entry: ChatEntry) => void
  onEvent?: (event: ChatEvent) => void
}) {
  const { now, write, onEvent = () => {} } = options
  const byConversation = new Map<string, ChatEvent[]>()
  const byUser = new Map<string, Map<string, ChatEvent[]>>()
  const all: ChatEvent[] = []
  const ids = snowflakes(now)

  function apply(event: ChatEvent) {
    all.push(event)
    ids.see(event.sequenceId)
    const events = byConversation.get(event.conversation) ?? []
    byConversation.set(event.conversation, events)
    events.push(event)
    for (const userId of [event.from, event.to]) {
      const theirs = byUser.get(userId) ?? new Map<string, ChatEvent[]>()
      byUser.set(userId, theirs.set(event.conversation, events))
    }
  }

  return {
    /** Adds an event. Like X, does not store typing events. */
    add({ from, to, kind = 'message', text = '', group, failure, messageId = randomUUID() }: NewChatEvent): ChatEvent {
      const conversation = group ?? chatId(from, to)
      const previousId = byConversation.get(conversation)?.at(-1)?.sequenceId
      const event = {
        sequenceId: ids.next(),
        messageId,
        conversation,
        from,
        to,
        at: now(),
        kind,
        text,
        failure,
        previousId,
      }
      if (kind !== 'typing') {
        write({ type: 'chat', ...event })
        apply(event)
      }
      onEvent(event)
      return event
    },
    /** Applies an entry from disk. */
    replay({ type, ...event }: ChatEntry) {
      apply(event)
    },
    all: (): readonly ChatEvent[] => all,
    ofConversation: (conversation: string): readonly ChatEvent[] => byConversation.get(conversation) ?? [],
    /** Returns a person's events, by conversation. */
    ofUser: (userId: string): ReadonlyMap<string, readonly ChatEvent[]> => byUser.get(userId) ?? new Map(),
    /** Whether the first person has written to the second. */
    hasWritten: (from: string, to: string): boolean =>
      (byConversation.get(chatId(from, to)) ?? []).some((event) => event.from === from && event.kind === 'message'),
  }
}

export type Chats = ReturnType<typeof createChats>

/** Returns the id of two people's conversation in X Chat's events: the smaller user id first. */
export function chatId(a: string, b: string): string {
  return BigInt(a) < BigInt(b) ? `${a}:${b}` : `${b}:${a}`
}
