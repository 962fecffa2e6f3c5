/** One direct message as it took effect. Ids are users' ids; `at` is in milliseconds since 1970. */
export type Message = { id: string; from: string; to: string; text: string; at: number }

/** What somebody does who gets a first message: reads it, and writes back where there is an `answer`. */
export type Reaction = { answer: string | undefined }

/** Kept on disk, so that messages outlive the process. */
export type MessageEntry = { type: 'dm' } & Message

/** X's ids carry their time, counted from this moment, above 22 bits of sequence. */
const EPOCH = 1_288_834_974_657

/**
 * The direct messages of everybody, in the order in which they took effect. `reactionOf` says what a person does about
 * the first message from somebody, `answerAfterMs` later: reads it, and perhaps answers. `onSend` and `onRead` are told what happens. `write` must have handed the entry over when it returns.
 */
export function createMessages(options: {
  now: () => number
  write: (entry: MessageEntry) => void
  reactionOf: (userId: string) => Reaction | undefined
  answerAfterMs: number
  onSend?: (message: Message) => void
  onRead?: (message: Message, at: number) => void
}) {
  const { now, write, reactionOf, answerAfterMs, onSend = () => {}, onRead = () => {} } = options
  const all: Message[] = []
  const byUser = new Map<string, Message[]>()
  const byConversation = new Map<string, Message[]>()
  // Answers fall due in the order of the messages, so a queue with one timer is enough.
  const due: Message[] = []
  let timer: NodeJS.Timeout | undefined
  let lastId = 0n

  function apply(message: Message) {
    all.push(message)
    add(byUser, message.from, message)
    if (message.to !== message.from) add(byUser, message.to, message)
    add(byConversation, conversationId(message.from, message.to), message)
    if (BigInt(message.id) > lastId) lastId = BigInt(message.id)
  }

  function send(from: string, to: string, text: string): Message {
    const at = now()
    const fromTime = BigInt(at - EPOCH) << 22n
    const id = String(fromTime > lastId ? fromTime : lastId + 1n)
    const message = { id, from, to, text, at }
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
      if (conversation.some(({ from }) => from === next.to)) continue
      const text = reactionOf(next.to)?.answer
      onRead(conversation.at(-1) ?? next, now())
      if (text !== undefined) send(next.to, next.from, text)
    }
    schedule()
  }

  return {
    send,
    /** Takes an entry back in at start. */
    replay: (entry: MessageEntry) =>
      apply({ id: entry.id, from: entry.from, to: entry.to, text: entry.text, at: entry.at }),
    /** After the replay: people who were about to answer when the process died answer now. */
    resume() {
      for (const conversation of byConversation.values()) {
        const first = conversation[0]
        if (first && conversation.every(({ from }) => from === first.from)) expectAnswer(first)
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

/** X's id of a conversation of two: the smaller id first. */
export function conversationId(a: string, b: string): string {
  return BigInt(a) < BigInt(b) ? `${a}-${b}` : `${b}-${a}`
}

function add(lists: Map<string, Message[]>, key: string, message: Message) {
  const list = lists.get(key)
  if (list) list.push(message)
  else lists.set(key, [message])
}
