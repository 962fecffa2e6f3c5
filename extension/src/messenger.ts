import type { SendDmReply } from '@x-automated/contract/extension'
import { browser } from 'wxt/browser'
import { failure, unavailable } from './failure.ts'
import { createJournal, type Entry } from './journal.ts'
import { createProduct, ProductError } from './product.ts'
import { createQueue } from './queue.ts'
import type { Message } from './request.ts'
import { type Outcome, send } from './send.ts'
import { changedPart, changeState, readState, setActivity } from './state.ts'
import type { Problem } from './wire.ts'
import { createXTab } from './x-tab.ts'

/** A page sends one message and waits for it. More than a few waiting is a page gone wild. */
const LONGEST_QUEUE = 5

/** Sends messages one at a time, whoever asks: a page, or the extension by itself. */
export function createMessenger() {
  const tab = createXTab()
  const queue = createQueue(LONGEST_QUEUE)
  const journal = createJournal({
    read: async () => (await browser.storage.session.get('journal')).journal as Record<string, Entry> | undefined,
    write: (entries) => browser.storage.session.set({ journal: entries }),
  })
  /** Attempts under way, so that one asked for twice at once is made once. */
  const underWay = new Map<string, { message: Message; reply: Promise<SendDmReply> }>()

  /** Presses send at most once for the message's id. */
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

  async function sendNow(message: Message & { id: string }): Promise<SendDmReply> {
    const state = await readState()
    if (state.paused) return failure({ code: 'PAUSED' })
    const changed = changedPart(state)
    if (changed !== null) return failure({ code: 'PAGE_CHANGED', detail: changed })
    await setActivity({ doing: 'sending', handle: message.handle })
    try {
      const outcome = await send(message, tab.page, journal, () => leaveFor(message))
      const reply = outcome === 'sent' ? ({ success: true } as const) : failure(outcome, message.handle)
      // What the popup shows must not change what the page is told.
      await remember(message.handle, outcome, reply).catch(console.error)
      return reply
    } finally {
      await setActivity({ doing: 'nothing' })
    }
  }

  return { sendOnce, journal, note: tab.note }
}

/** The last word before send is pressed: much may have happened since it was asked for. */
async function leaveFor({ id, dmId, notAfter }: Message & { id: string }): Promise<Problem | null> {
  const { paused, pairing } = await readState()
  if (paused) return { code: 'PAUSED' }
  if (notAfter !== undefined && Date.now() > notAfter) return { code: 'X_UNAVAILABLE' }
  if (dmId === undefined || !pairing) return null
  try {
    const maySend = await createProduct(pairing).confirm({ dmId, lease: id })
    return maySend ? null : { code: 'CALLED_BACK' }
  } catch (error) {
    if (!(error instanceof ProductError)) throw error
    if (error.status === 409) return { code: 'CALLED_BACK' }
    // A page of another account than the one we are paired with, or a pairing that has ended: the page answers for it.
    return [401, 403, 404].includes(error.status) ? null : { code: 'PRODUCT_UNREACHABLE' }
  }
}

async function remember(handle: string, outcome: Outcome, reply: SendDmReply) {
  if (!reply.success && (reply.code === 'CALLED_BACK' || reply.code === 'PAUSED')) return
  await changeState({ lastResult: { handle, error: reply.success ? null : reply.error, at: Date.now() } })
  // The next message would fare no better: it is told so at once, until somebody asks to check again.
  if (outcome === 'sent' || outcome.code !== 'PAGE_CHANGED') return
  const { version } = browser.runtime.getManifest()
  await changeState({ pageChanged: { part: outcome.detail ?? 'a part', version } })
}
