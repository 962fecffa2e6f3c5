import type { ExtensionErrorCode } from '@x-automated/contract/outreach/extension'
import type { Journal } from './journal.ts'
import type { Answer, Command, MessageCounts, Peer, Problem } from './wire.ts'

/** A tab on x.com with our content script. */
export interface Page {
  /** Loads a path on x.com and waits for our script. False if it times out. */
  load(path: string): Promise<boolean>
  /** Waits for our script after the page has navigated. False if it times out. */
  arrive(): Promise<boolean>
  /** Sends a command to the script. Null if the page navigated away, or timed out. */
  ask<C extends Command>(command: C): Promise<Answer<C['do']> | null>
  /**
   * Brings the tab to the front, because browsers may not render it otherwise. False if it is
   * already in front, or closed.
   */
  show(): Promise<boolean>
}

interface Attempt {
  id: string
  handle: string
  message: string
  /** The recipient's X user id, if known. */
  xUserId?: string | undefined
  /** The account that must be signed in to X, without @; undefined if any may. */
  sendsAs?: string | undefined
}

/** Called right before send is pressed. @returns the reason not to send, or null */
export type Leave = () => Promise<Problem | null>

export type Outcome = 'sent' | Problem

/**
 * Sends one message, pressing send at most once per id. A message that appears in the conversation
 * counts as sent. If the result of pressing is unclear, the conversation is reloaded and read; if
 * that is unclear, too, the outcome stays unknown for this id.
 */
export async function send(attempt: Attempt, page: Page, journal: Journal, leave: Leave): Promise<Outcome> {
  const { id, handle, message } = attempt
  const entry = await journal.find(id)
  if (entry && (entry.handle !== handle || entry.message !== message))
    return { code: 'INVALID_REQUEST', detail: 'its requestId was used for another message' }
  if (entry) return entry.state === 'sent' ? 'sent' : { code: 'OUTCOME_UNKNOWN' }

  const ready = await prepare(attempt, page)
  if ('code' in ready) return ready
  const problem = await leave()
  if (problem) return problem
  await journal.put(id, { handle, message, state: 'pressing' })
  // From here on, an error no longer proves that nothing was sent.
  try {
    const outcome = await press(attempt, ready, page)
    if (outcome === 'sent') await journal.put(id, { handle, message, state: 'sent' })
    else if (outcome.code !== 'OUTCOME_UNKNOWN') await journal.remove(id)
    return outcome
  } catch (error) {
    console.error(error)
    return { code: 'OUTCOME_UNKNOWN' }
  }
}

/** An open conversation with the message in its composer. */
interface Ready {
  path: string
  peer: Peer
  before: MessageCounts
}

async function prepare({ handle, xUserId, message, sendsAs }: Attempt, page: Page): Promise<Ready | Problem> {
  if (!(await page.load(`/${handle}`))) return { code: 'X_UNAVAILABLE' }
  const met = await lookTwice(page, () => page.ask({ do: 'meet', handle, xUserId, sendsAs }))
  if ('problem' in met) return met.problem
  const peer = { handle, xUserId, recipientId: met.done.recipientId }

  const opened = await lookTwice(page, async () => {
    const first = await page.ask({ do: 'open', ...peer })
    // Opening the conversation may load a page with a new instance of our script.
    if (first || !(await page.arrive())) return first
    return page.ask({ do: 'open', ...peer })
  })
  if ('problem' in opened) return opened.problem

  const written = await page.ask({ do: 'write', ...peer, message })
  if (!written) return { code: 'X_UNAVAILABLE' }
  return 'problem' in written ? written.problem : { path: opened.done.path, peer, before: written.done }
}

async function press({ message, sendsAs }: Attempt, ready: Ready, page: Page): Promise<Outcome> {
  const { peer, path, before } = ready
  const pressed = await page.ask({ do: 'press', ...peer, message, sendsAs })
  if (pressed && 'problem' in pressed) return pressed.problem
  if (pressed?.done.appeared) return 'sent'

  // The message may have been sent, so reload and read the conversation instead of writing again.
  if (!(await page.load(path))) return { code: 'OUTCOME_UNKNOWN' }
  const read = await page.ask({ do: 'look', ...peer, message, atLeast: before.total })
  if (!read || 'problem' in read) return { code: 'OUTCOME_UNKNOWN' }
  if (read.done.sent > before.sent) return 'sent'
  // X reported the message as not sent, and the complete conversation confirms that.
  const refused = pressed?.done.refused
  const isAbsent = read.done.isComplete && read.done.same <= before.same
  return isAbsent && refused !== undefined ? { code: 'X_REFUSED', detail: refused } : { code: 'OUTCOME_UNKNOWN' }
}

/** Problems that may only mean that the browser has not rendered the background tab. */
const NOT_SHOWN: readonly ExtensionErrorCode[] = ['PAGE_CHANGED', 'X_UNAVAILABLE', 'CANNOT_TELL']

/** Calls `look`. If something is not shown, brings the tab to the front and calls `look` again. */
export async function lookTwice<Done>(
  page: Pick<Page, 'show'>,
  look: () => Promise<{ done: Done } | { problem: Problem } | null>,
): Promise<{ done: Done } | { problem: Problem }> {
  const unavailable: { problem: Problem } = { problem: { code: 'X_UNAVAILABLE' } }
  const first = (await look()) ?? unavailable
  const isMissing = 'problem' in first && NOT_SHOWN.includes(first.problem.code)
  return isMissing && (await page.show()) ? ((await look()) ?? unavailable) : first
}
