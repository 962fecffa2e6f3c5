import type { ExtensionFailure, ExtensionStatusReply, SendDmReply } from '@x-automated/contract/extension'
import { browser } from 'wxt/browser'
import { defineBackground } from 'wxt/utils/define-background'
import { failure } from '../failure.ts'
import { createJournal, type Entry } from '../journal.ts'
import { isAllowedOrigin } from '../origin.ts'
import { createQueue } from '../queue.ts'
import { type Message, readRequest } from '../request.ts'
import { type Outcome, send } from '../send.ts'
import { changedPart, changeState, readState } from '../state.ts'
import { isNotice } from '../wire.ts'
import { createXTab } from '../x-tab.ts'

/** A page sends one message and waits for it. More than a few waiting is a page gone wild. */
const LONGEST_QUEUE = 5

export default defineBackground(() => {
  const tab = createXTab()
  const queue = createQueue(LONGEST_QUEUE)
  const journal = createJournal({
    read: async () => (await browser.storage.session.get('journal')).journal as Record<string, Entry> | undefined,
    write: (entries) => browser.storage.session.set({ journal: entries }),
  })
  /** Attempts under way, so that one asked for twice at once is made once. */
  const underWay = new Map<string, { message: Message; reply: Promise<SendDmReply> }>()

  browser.runtime.onMessageExternal.addListener((request, sender, reply) => {
    answer(request, sender.origin).catch(unavailable).then(reply)
    return true
  })

  browser.runtime.onMessage.addListener((message, sender) => {
    if (!isNotice(message) || sender.id !== browser.runtime.id) return
    if (message.notice === 'account') changeState({ account: { handle: message.handle, at: Date.now() } })
    else if (sender.tab?.id !== undefined && sender.documentId !== undefined) tab.note(sender.tab.id, sender.documentId)
  })

  async function answer(
    request: unknown,
    origin: string | undefined,
  ): Promise<SendDmReply | ExtensionStatusReply | ExtensionFailure> {
    const { version, externally_connectable: connectable } = browser.runtime.getManifest()
    if (!isAllowedOrigin(origin, connectable?.matches ?? [])) return failure({ code: 'FORBIDDEN_ORIGIN' })
    const read = readRequest(request)
    if (read.action === 'INVALID') return failure({ code: 'INVALID_REQUEST', detail: read.problem })
    if (read.action === 'SEND_TWITTER_DM') return sendOnce(read.message)
    const state = await readState()
    const signedInAs = state.account?.handle
    return { success: true, status: { version, paused: state.paused, pageChanged: changedPart(state), signedInAs } }
  }

  function sendOnce(message: Message): Promise<SendDmReply> {
    const id = message.id ?? crypto.randomUUID()
    const same = underWay.get(id)
    if (same && same.message.handle === message.handle && same.message.message === message.message) return same.reply
    const turn = queue.run(() => sendNow({ ...message, id }))
    if (!turn) return Promise.resolve(failure({ code: 'BUSY' }))
    const reply = turn.catch(unavailable)
    if (same) return reply
    underWay.set(id, { message, reply })
    return reply.finally(() => underWay.delete(id))
  }

  async function sendNow(attempt: { id: string; handle: string; message: string }): Promise<SendDmReply> {
    const state = await readState()
    if (state.paused) return failure({ code: 'PAUSED' })
    const changed = changedPart(state)
    if (changed !== null) return failure({ code: 'PAGE_CHANGED', detail: changed })
    const outcome = await send(attempt, tab.page, journal)
    const reply = outcome === 'sent' ? ({ success: true } as const) : failure(outcome, attempt.handle)
    // What the popup shows must not change what the page is told.
    await remember(attempt.handle, outcome, reply).catch(console.error)
    return reply
  }
})

async function remember(handle: string, outcome: Outcome, reply: SendDmReply) {
  await changeState({ lastResult: { handle, error: reply.success ? null : reply.error, at: Date.now() } })
  // The next message would fare no better: it is told so at once, until somebody asks to check again.
  if (outcome === 'sent' || outcome.code !== 'PAGE_CHANGED') return
  const { version } = browser.runtime.getManifest()
  await changeState({ pageChanged: { part: outcome.detail ?? 'a part', version } })
}

/** The browser failed us before send was pressed: `send` itself answers for what comes after. */
function unavailable(error: unknown): ExtensionFailure {
  console.error(error)
  return failure({ code: 'X_UNAVAILABLE' })
}
