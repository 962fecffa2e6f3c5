import { CLOSED_IN_A_ROW, type SendDmReply } from '@x-automated/contract/extension'
import { browser } from 'wxt/browser'
import { failure, unavailable } from './failure.ts'
import { createJournal, type Entry } from './journal.ts'
import { createProduct, type Pairing, ProductError } from './product.ts'
import { createQueue } from './queue.ts'
import type { Message } from './request.ts'
import { type Outcome, send } from './send.ts'
import { changedPart, changeState, readState, setActivity } from './state.ts'
import type { Problem } from './wire.ts'
import { createXTab } from './x-tab.ts'

/** A page sends one message and waits for it. More than a few waiting is a page gone wild. */
const LONGEST_QUEUE = 5

/**
 * Asks whoever has claimed a message whether it may still go out; null: they could not find out, or are gone.
 * @param refused what the product answered to our own key; undefined: we have none
 */
export type AskClaimant = (held: { dmId: string; lease: string }, refused?: number) => Promise<boolean | null>

/** Inboxes in a row of one run that seemed closed, and how many may before X is said to have changed its page. */
interface Closed {
  runId?: string | undefined
  inARow: number
  allowed: number
}

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

  /** Presses send at most once for the message's id. @param askClaimant where our own key does not tell whether it may still go out */
  function sendOnce(message: Message, askClaimant: AskClaimant): Promise<SendDmReply> {
    const id = message.id ?? crypto.randomUUID()
    const same = underWay.get(id)
    if (same && same.message.handle === message.handle && same.message.message === message.message) return same.reply
    const turn = queue.run(() => sendNow({ ...message, id }, askClaimant))
    if (!turn) return Promise.resolve(failure({ code: 'BUSY' }))
    const reply = turn.catch(unavailable)
    if (same) return reply
    underWay.set(id, { message, reply })
    return reply.finally(() => underWay.delete(id))
  }

  async function sendNow(message: Message & { id: string }, askClaimant: AskClaimant): Promise<SendDmReply> {
    const state = await readState()
    if (state.paused) return failure({ code: 'PAUSED' })
    const changed = changedPart(state)
    if (changed !== null) return failure({ code: 'PAGE_CHANGED', detail: changed })
    await setActivity({ doing: 'sending', handle: message.handle })
    try {
      const ended = await send(message, tab.page, journal, () => leaveFor(message, askClaimant))
      const outcome = message.dmId === undefined ? ended : await doubted(ended, message.runId)
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
async function leaveFor(
  { id, dmId, notAfter }: Message & { id: string },
  askClaimant: AskClaimant,
): Promise<Problem | null> {
  const { paused, pairing } = await readState()
  if (paused) return { code: 'PAUSED' }
  if (notAfter !== undefined && Date.now() > notAfter) return { code: 'X_UNAVAILABLE' }
  if (dmId === undefined) return null
  const held = { dmId, lease: id }
  const maySend = pairing ? await askProduct(pairing, held, askClaimant) : await askClaimant(held)
  if (maySend === true) return null
  return { code: maySend === false ? 'CALLED_BACK' : 'PRODUCT_UNREACHABLE' }
}

async function askProduct(
  pairing: Pairing,
  held: { dmId: string; lease: string },
  askClaimant: AskClaimant,
): Promise<boolean | null> {
  try {
    return await createProduct(pairing).confirm(held)
  } catch (error) {
    if (!(error instanceof ProductError)) throw error
    if (error.status === 409) return false
    // Our key does not open this message: a page of another account has claimed it, or the pairing has ended.
    return [401, 403, 404].includes(error.status) ? askClaimant(held, error.status) : null
  }
}

/** How an attempt ends where a way to write was found. */
const HAS_WRITTEN = ['X_REFUSED', 'OUTCOME_UNKNOWN', 'DRAFT_IN_THE_WAY', 'CALLED_BACK']

/**
 * That an inbox of a run is closed shows only by what is not there. Where it is not there time and again, X may have changed its page instead; once somebody
 * has looked and asked to go on, twice as many are believed.
 */
async function doubted(outcome: Outcome, runId: string | undefined): Promise<Outcome> {
  const { closed } = await browser.storage.session.get('closed')
  const before = (closed as Closed | undefined) ?? { runId, inARow: 0, allowed: CLOSED_IN_A_ROW }
  const { allowed } = before
  const inARow = before.runId === runId ? before.inARow : 0
  const remember = (next: Closed) => browser.storage.session.set({ closed: { ...next, runId } })
  if (outcome === 'sent' || HAS_WRITTEN.includes(outcome.code)) await remember({ inARow: 0, allowed })
  if (outcome === 'sent' || outcome.code !== 'INBOX_CLOSED') return outcome
  if (inARow + 1 < allowed) {
    await remember({ inARow: inARow + 1, allowed })
    return outcome
  }
  await remember({ inARow: 0, allowed: allowed * 2 })
  return { code: 'INBOXES_CLOSED', detail: String(allowed) }
}

async function remember(handle: string, outcome: Outcome, reply: SendDmReply) {
  if (!reply.success && (reply.code === 'CALLED_BACK' || reply.code === 'PAUSED')) return
  await changeState({ lastResult: { handle, error: reply.success ? null : reply.error, at: Date.now() } })
  // The next message would fare no better: it is told so at once, until somebody asks to check again.
  const part = missingPart(outcome)
  if (part === null) return
  const { version } = browser.runtime.getManifest()
  await changeState({ pageChanged: { part, version } })
}

/** What this end says that X's page lacks; null: nothing. */
function missingPart(outcome: Outcome): string | null {
  if (outcome === 'sent') return null
  if (outcome.code === 'PAGE_CHANGED') return outcome.detail ?? 'a part'
  if (outcome.code !== 'INBOXES_CLOSED') return null
  return `the message button of a profile (${outcome.detail} in a row had none: X may have changed its page, or they take no messages)`
}
