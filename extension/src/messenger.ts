import { type CheckReply, type SendDmReply, UNCLEAR_IN_A_ROW } from '@x-automated/contract/outreach/extension'
import { failure, unavailable } from './failure.ts'
import { createJournal } from './journal.ts'
import { createProduct, type Pairing, ProductError } from './product.ts'
import type { Message } from './request.ts'
import { lookTwice, type Outcome, send } from './send.ts'
import { changedPart, changeState, readState, sessionValue, setActivity, versionOf } from './state.ts'
import type { Problem } from './wire.ts'
import { createXTab } from './x-tab.ts'

/** A page sends one message at a time, so a longer queue means a faulty page. */
const LONGEST_QUEUE = 5

/**
 * Asks the claimant whether a message may still be sent. Null if unknown, or if the claimant is
 * gone.
 * @param refused the product's status for our own token; undefined if we have none
 */
export type AskClaimant = (claim: { dmId: string; lease: string }, refused?: number) => Promise<boolean | null>

/** The number of consecutive unclear outcomes (CANNOT_TELL) in a run, and the number at which the run stops. */
const unclear = sessionValue<{ runId?: string | undefined; inARow: number; allowed: number }>('unclear')

/** Sends messages one at a time, for pages and for the background sender. */
export function createMessenger() {
  const tab = createXTab()
  const queue = createQueue(LONGEST_QUEUE)
  const journal = createJournal(sessionValue('journal'))
  /** Attempts in progress. Concurrent requests with the same id share one. */
  const underWay = new Map<string, { message: Message; reply: Promise<SendDmReply> }>()

  /**
   * Sends a message, pressing send at most once per message id. @param askClaimant used if the
   * extension is not paired, or its token has no access to the message
   */
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
    const problem = await problemOfState()
    if (problem) return failure(problem)
    await setActivity({ doing: 'sending', handle: message.handle })
    try {
      const ended = await send(message, tab.page, journal, () => problemBeforeSending(message, askClaimant))
      const outcome = message.dmId === undefined ? ended : await countUnclear(ended, message.runId)
      const reply = outcome === 'sent' ? ({ success: true } as const) : failure(outcome, message.handle)
      // A storage failure must not change the reply.
      await remember(message.handle, outcome, reply).catch(console.error)
      return reply
    } finally {
      await setActivity({ doing: 'nothing' })
    }
  }

  /** Opens X and checks that the account is signed in. Sends nothing. */
  async function check(sendsAs: string | undefined): Promise<CheckReply> {
    const turn = queue.run(async (): Promise<CheckReply> => {
      const problem = (await problemOfState()) ?? (await problemOfLogin(sendsAs))
      return problem ? failure(problem) : { success: true }
    })
    return turn ? turn.catch(unavailable) : failure({ code: 'BUSY' })
  }

  async function problemOfLogin(sendsAs: string | undefined): Promise<Problem | null> {
    if (!(await tab.page.load('/home'))) return { code: 'X_UNAVAILABLE' }
    const checked = await lookTwice(tab.page, () => tab.page.ask({ do: 'check', sendsAs }))
    return 'problem' in checked ? checked.problem : null
  }

  return { sendOnce, check, journal, scriptLoaded: tab.scriptLoaded }
}

/** The problem that prevents all sending right now, or null. */
async function problemOfState(): Promise<Problem | null> {
  const state = await readState()
  if (state.paused) return { code: 'PAUSED' }
  const changed = changedPart(state)
  return changed === null ? null : { code: 'PAGE_CHANGED', detail: changed }
}

/** Checks right before send is pressed whether the message may still be sent, because the request may be old. */
async function problemBeforeSending(
  { id, dmId, notAfter }: Message & { id: string },
  askClaimant: AskClaimant,
): Promise<Problem | null> {
  const { paused, pairing } = await readState()
  if (paused) return { code: 'PAUSED' }
  if (notAfter !== undefined && Date.now() > notAfter) return { code: 'X_UNAVAILABLE' }
  if (dmId === undefined) return null
  const claim = { dmId, lease: id }
  const maySend = pairing ? await askProduct(pairing, claim, askClaimant) : await askClaimant(claim)
  if (maySend === true) return null
  return { code: maySend === false ? 'CALLED_BACK' : 'PRODUCT_UNREACHABLE' }
}

async function askProduct(
  pairing: Pairing,
  claim: { dmId: string; lease: string },
  askClaimant: AskClaimant,
): Promise<boolean | null> {
  try {
    return await createProduct(pairing).confirm(claim)
  } catch (error) {
    if (!(error instanceof ProductError)) throw error
    if (error.status === 409) return false
    // Our token gives no access to this message: another account's page claimed it, or the pairing
    // ended.
    return [401, 403, 404].includes(error.status) ? askClaimant(claim, error.status) : null
  }
}

/** Outcomes that prove that X showed enough about the person. */
const IS_CLEAR: readonly string[] = [
  ...['INBOX_CLOSED', 'NO_SUCH_PERSON', 'WRONG_PERSON', 'MESSAGE_REQUEST'],
  ...['X_REFUSED', 'OUTCOME_UNKNOWN', 'DRAFT_IN_THE_WAY', 'CALLED_BACK'],
]

/**
 * Stops a run after several unclear outcomes in a row, because X may have changed its page. Each
 * stop doubles the number allowed.
 */
async function countUnclear(outcome: Outcome, runId: string | undefined): Promise<Outcome> {
  const before = (await unclear.read()) ?? { inARow: 0, allowed: UNCLEAR_IN_A_ROW }
  const { allowed } = before
  const inARow = before.runId === runId ? before.inARow : 0
  if (outcome === 'sent' || IS_CLEAR.includes(outcome.code)) await unclear.write({ runId, inARow: 0, allowed })
  if (outcome === 'sent' || outcome.code !== 'CANNOT_TELL') return outcome
  if (inARow + 1 < allowed) {
    await unclear.write({ runId, inARow: inARow + 1, allowed })
    return outcome
  }
  await unclear.write({ runId, inARow: 0, allowed: allowed * 2 })
  return { code: 'CANNOT_TELL_IN_A_ROW', detail: String(allowed) }
}

async function remember(handle: string, outcome: Outcome, reply: SendDmReply) {
  if (!reply.success && (reply.code === 'CALLED_BACK' || reply.code === 'PAUSED')) return
  await changeState({ lastResult: { handle, error: reply.success ? null : reply.error, at: Date.now() } })
  // The next message would fail too, so fail immediately until the user checks again.
  const part = missingPart(outcome)
  if (part !== null) await changeState({ pageChanged: { part, version: versionOf(await readState()) } })
}

/** The part of X's page that could not be found, or null. */
function missingPart(outcome: Outcome): string | null {
  if (outcome === 'sent') return null
  if (outcome.code === 'PAGE_CHANGED') return outcome.detail ?? 'a part'
  if (outcome.code !== 'CANNOT_TELL_IN_A_ROW') return null
  return `what shows whether someone can be messaged (${outcome.detail} people in a row: X may be slow, or may have changed its page)`
}

/** Runs tasks one at a time, in order. @param longest maximum number of waiting tasks */
export function createQueue(longest: number) {
  let last: Promise<unknown> = Promise.resolve()
  let unfinished = 0

  return {
    /** Runs the task in its turn, and resolves to its result. Returns null if too many tasks are waiting. */
    run<Value>(work: () => Promise<Value>): Promise<Value> | null {
      if (unfinished > longest) return null
      unfinished += 1
      const turn = last.then(work).finally(() => {
        unfinished -= 1
      })
      last = turn.catch(() => {})
      return turn
    },
  }
}
