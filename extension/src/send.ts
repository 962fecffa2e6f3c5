import type { Journal } from './journal.ts'
import type { Answer, Command, MessageCounts, Problem } from './wire.ts'

/** A tab of x.com with our content script. */
export interface Page {
  /** Loads a path on x.com and waits for our script. False if it times out. */
  load(path: string): Promise<boolean>
  /** Waits for our script after the page navigated. */
  arrive(): Promise<boolean>
  /** Sends a command to the script. Null if the page navigated away or timed out. */
  ask<C extends Command>(command: C): Promise<Answer<C['do']> | null>
  /** Brings the tab to the front, where the browser renders it. False if it already was. */
  show(): Promise<boolean>
}

interface Attempt {
  id: string
  handle: string
  message: string
  /** The account that must be signed in to X, without @; undefined: any. */
  sendsAs?: string | undefined
}

/** Called right before send is pressed. @returns the reason not to send */
export type Leave = () => Promise<Problem | null>

export type Outcome = 'sent' | Problem

/**
 * Sends one message, pressing send at most once per id. Success: it appeared in the conversation.
 * An unclear result is settled by reading the conversation, or stays unknown for this id.
 */
export async function send(attempt: Attempt, page: Page, journal: Journal, leave: Leave): Promise<Outcome> {
  const { id, handle, message } = attempt
  const known = await journal.find(id)
  if (known && (known.handle !== handle || known.message !== message))
    return { code: 'INVALID_REQUEST', detail: 'its requestId was used for another message' }
  if (known) return known.state === 'sent' ? 'sent' : { code: 'OUTCOME_UNKNOWN' }

  const ready = await prepare(attempt, page)
  if ('code' in ready) return ready
  const problem = await leave()
  if (problem) return problem
  await journal.put(id, { handle, message, state: 'pressing' })
  // From here on, only the conversation can prove that nothing was sent.
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

/** The open conversation with the message in its composer. */
interface Ready {
  path: string
  recipientId: string | null
  before: MessageCounts
}

async function prepare({ handle, message, sendsAs }: Attempt, page: Page): Promise<Ready | Problem> {
  if (!(await page.load(`/${handle}`))) return { code: 'X_UNAVAILABLE' }
  const met = await looked(page, () => page.ask({ do: 'meet', handle, sendsAs }))
  if ('problem' in met) return met.problem
  const { recipientId } = met.done

  const command = { do: 'open', handle, recipientId } as const
  const opened = await looked(page, async () => {
    const first = await page.ask(command)
    // Opening the conversation may load a page with a new instance of our script.
    if (first || !(await page.arrive())) return first
    return page.ask(command)
  })
  if ('problem' in opened) return opened.problem

  const written = await page.ask({ do: 'write', handle, recipientId, message })
  if (!written) return { code: 'X_UNAVAILABLE' }
  return 'problem' in written ? written.problem : { path: opened.done.path, recipientId, before: written.done }
}

async function press({ handle, message, sendsAs }: Attempt, ready: Ready, page: Page): Promise<Outcome> {
  const { recipientId, path, before } = ready
  const pressed = await page.ask({ do: 'press', handle, recipientId, message, sendsAs })
  if (pressed && 'problem' in pressed) return pressed.problem
  if (pressed?.done.appeared) return 'sent'

  // It may have been sent, so reload and read the conversation instead of writing again.
  if (!(await page.load(path))) return { code: 'OUTCOME_UNKNOWN' }
  const read = await page.ask({ do: 'look', handle, recipientId, message, atLeast: before.total })
  if (!read || 'problem' in read) return { code: 'OUTCOME_UNKNOWN' }
  if (read.done.same > before.same) return 'sent'
  // X said it was not sent, and the complete conversation confirms that.
  const refused = pressed?.done.refused
  return read.done.whole && refused !== undefined ? { code: 'X_REFUSED', detail: refused } : { code: 'OUTCOME_UNKNOWN' }
}

/**
 * Browsers may not render background tabs, so look in the foreground before reporting a missing
 * part.
 */
async function looked<Done>(
  page: Page,
  look: () => Promise<{ done: Done } | { problem: Problem } | null>,
): Promise<{ done: Done } | { problem: Problem }> {
  const unavailable: { problem: Problem } = { problem: { code: 'X_UNAVAILABLE' } }
  const found = (await look()) ?? unavailable
  const isMissing = 'problem' in found && ['PAGE_CHANGED', 'X_UNAVAILABLE'].includes(found.problem.code)
  return isMissing && (await page.show()) ? ((await look()) ?? unavailable) : found
}
