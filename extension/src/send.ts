import type { Journal } from './journal.ts'
import type { Answer, Command, Problem, Standing } from './wire.ts'

/** A tab of x.com with our script in it. */
export interface Page {
  /** Loads a path of x.com and waits for our script there. False where it does not come in time. */
  load(path: string): Promise<boolean>
  /** Waits for our script after the page went elsewhere by itself. */
  arrive(): Promise<boolean>
  /** Asks the script that is there. Null where the page went away, or takes too long. */
  ask<C extends Command>(command: C): Promise<Answer<C['do']> | null>
  /** Brings the tab to the front, where a browser draws it. False where it was there already. */
  show(): Promise<boolean>
}

export interface Attempt {
  id: string
  handle: string
  message: string
  /** Who has to be signed in to X, without @; undefined: whoever is. */
  sendsAs?: string | undefined
}

/** Asked when all is ready, right before send is pressed. @returns what stands in the way */
export type Leave = () => Promise<Problem | null>

export type Outcome = 'sent' | Problem

/**
 * Sends one message, and answers when it is seen to stand in the conversation, or why it is not. Send is pressed at most
 * once for an id. An unclear end is settled by reading the conversation; where that does not tell, the outcome is unknown,
 * and stays so however often the same id is asked for.
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
  // From here on nothing that goes wrong may say that nothing was sent, unless the conversation says so.
  try {
    const outcome = await press(attempt, ready, page)
    if (outcome === 'sent') await journal.put(id, { handle, message, state: 'sent' })
    else if (outcome.code !== 'OUTCOME_UNKNOWN') await journal.forget(id)
    return outcome
  } catch (error) {
    console.error(error)
    return { code: 'OUTCOME_UNKNOWN' }
  }
}

/** The conversation, open and with the message in its composer. */
interface Ready {
  path: string
  recipientId: string | null
  before: Standing
}

async function prepare({ handle, message, sendsAs }: Attempt, page: Page): Promise<Ready | Problem> {
  if (!(await page.load(`/${handle}`))) return { code: 'X_UNAVAILABLE' }
  const met = await looked(page, () => page.ask({ do: 'meet', handle, sendsAs }))
  if ('problem' in met) return met.problem
  const { recipientId } = met.done

  const command = { do: 'open', handle, recipientId } as const
  const opened = await looked(page, async () => {
    const first = await page.ask(command)
    // The way to the conversation may load a page, and with it another script of ours.
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
  if (pressed?.done.stands) return 'sent'

  // Whether it went out is not clear, so the conversation is read anew: it is never written a second time.
  if (!(await page.load(path))) return { code: 'OUTCOME_UNKNOWN' }
  const read = await page.ask({ do: 'look', handle, recipientId, message, atLeast: before.total })
  if (!read || 'problem' in read) return { code: 'OUTCOME_UNKNOWN' }
  if (read.done.same > before.same) return 'sent'
  // X said that it did not take it, and the conversation, read whole, says the same.
  const refused = pressed?.done.refused
  return read.done.whole && refused !== undefined ? { code: 'X_REFUSED', detail: refused } : { code: 'OUTCOME_UNKNOWN' }
}

/** A browser may not draw what nobody sees: before a part is said to be missing, it is looked for in front. */
async function looked<Done>(
  page: Page,
  look: () => Promise<{ done: Done } | { problem: Problem } | null>,
): Promise<{ done: Done } | { problem: Problem }> {
  const unavailable: { problem: Problem } = { problem: { code: 'X_UNAVAILABLE' } }
  const found = (await look()) ?? unavailable
  const isMissing = 'problem' in found && ['PAGE_CHANGED', 'X_UNAVAILABLE'].includes(found.problem.code)
  return isMissing && (await page.show()) ? ((await look()) ?? unavailable) : found
}
