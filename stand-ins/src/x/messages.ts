import { snowflakes } from './ids.ts'

/** A sent direct message. `from` and `to` are user ids; `at` is in milliseconds since 1970. */
export type Message = { id: string; from: string; to: string; text: string; at: number }

/** The reaction to a first message: a read and an optional answer, possibly in X Chat. */
export type Reaction = { answer: string | undefined; isInChat: boolean }

/** Stored on disk, so that messages survive a restart. */
export type MessageEntry = { type: 'dm' } & Message

/**
 * Keeps all direct messages, in the order in which they took effect. People react to a first
 * message after `answerAfterMs`. `write` must store before returning.
 */
export function createMessages(options: {
  now: () => number
  write: (entry: MessageEntry) => void
  reactionOf: (userId: string) => Reaction | undefined
  answerAfterMs: number
  onSend?: (message: Message) => void
  onRead?: (message: Message, at: number) => void
  /** Whether someone has already answered in X Chat. */
  hasChatted?: (from: string, to: string) => boolean
  /** Adds an answer in X Chat. */
  chat?: (from: string, to: string, text: string) => void
}) {
  const { now, write, reactionOf, answerAfterMs, onSend = () => {}, onRead = () => {} } = options
  const { hasChatted = () => false, chat = () => {} } = options
  const all: Message[] = []
  const byUser = new Map<string, Message[]>()
  const byConversation = new Map<string, Message[]>()
  // Reactions become due in the order of messages, so a queue with one timer is enough.
  const due: Message[] = []
  let timer: NodeJS.Timeout | undefined
  const ids = snowflakes(now)

  function apply(message: Message) {
    all.push(message)
    add(byUser, message.from, message)
    if (message.to !== message.from) add(byUser, message.to, message)
    add(byConversation, conversationId(message.from, message.to), message)
    ids.see(message.id)
  }

  function send(from: string, to: string, text: string): Message {
    const message = { id: ids.next(), from, to, text, at: now() }
    write({ type: 'dm', ...message })
    apply(message)
    onSend(message)
    expectAnswer(message)
    return message
  }

  function expectAnswer(message: Message) {
    const conversation = byConversation.get(conversationId(message.from, message.to))
    if (conversation?.[0] !== message || reactionOf(message.to) === undefined) return
    due.push(message)
    schedule()
  }

  function schedule() {
    const next = due[0]
    if (timer !== undefined || next === undefined) return
    timer = setTimeout(answer, Math.max(0, next.at + answerAfterMs - now()))
    timer.unref()
  }

  function answer() {
    timer = undefined
    for (let next = due[0]; next && next.at + answerAfterMs <= now(); next = due[0]) {
      due.shift()
      const conversation = byConversation.get(conversationId(next.from, next.to)) ?? []
      if (hasAnswered(conversation, next)) continue
      const reaction = reactionOf(next.to)
      onRead(conversation.at(-1) ?? next, now())
      if (reaction?.answer === undefined) continue
      if (reaction.isInChat) chat(next.to, next.from, reaction.answer)
      else send(next.to, next.from, reaction.answer)
    }
    schedule()
  }

  const hasAnswered = (conversation: readonly Message[], { from, to }: Message) =>
    conversation.some((message) => message.from === to) || hasChatted(to, from)

  return {
    send,
    /** Applies an entry from disk. */
    replay: (entry: MessageEntry) =>
      apply({ id: entry.id, from: entry.from, to: entry.to, text: entry.text, at: entry.at }),
    /** After the replay: resumes reactions that were pending when the process died. */
    resume() {
      for (const conversation of byConversation.values()) {
        const first = conversation[0]
        if (first && !hasAnswered(conversation, first)) expectAnswer(first)
      }
      due.sort((a, b) => a.at - b.at)
    },
    stop() {
      clearTimeout(timer)
      timer = undefined
      due.length = 0
    },
    all: (): readonly Message[] => all,
    ofUser: (userId: string): readonly Message[] => byUser.get(userId) ?? [],
    ofConversation: (a: string, b: string): readonly Message[] => byConversation.get(conversationId(a, b)) ?? [],
  }
}

export type Messages = ReturnType<typeof createMessages>

/** Returns X's id for a one-to-one conversation, with the smaller user id first. */
export function conversationId(a: string, b: string): string {
  return BigInt(a) < BigInt(b) ? `${a}-${b}` : `${b}-${a}`
}

function add(lists: Map<string, Message[]>, key: string, message: Message) {
  const list = lists.get(key)
  if (list) list.push(message)
  else lists.set(key, [message])
}
