import { type Conversation, isWaiting } from '@x-automated/contract/outreach/conversations'

/**
 * Answers of this page that are being sent, or that wait until their conversation has loaded. A page
 * keeps them here, because the reply box may have closed by the time they arrive.
 */
const sending = new Map<string, number>()
const queued = new Map<string, string>()

/** Whether an answer to a conversation is being sent. */
const isBeingAnswered = (id: string): boolean => sending.has(id)

/** Marks a conversation as being answered. @returns a function that ends this */
export function beginAnswer(id: string): () => void {
  const change = (by: 1 | -1) => {
    const count = (sending.get(id) ?? 0) + by
    if (count > 0) sending.set(id, count)
    else sending.delete(id)
  }
  change(1)
  return () => change(-1)
}

/** Queues an answer until its conversation has loaded; null cancels that. */
export function queueAnswer(id: string, text: string | null): void {
  if (text === null) queued.delete(id)
  else queued.set(id, text)
}

/** The queued answer of a conversation, if any. */
export const queuedAnswer = (id: string): string | null => queued.get(id) ?? null

/**
 * Cancels the queued answer of a conversation whose reply box closes, unless another box has replaced it.
 * @returns whether an answer was queued
 */
export function leaveQueued(id: string, isBoxOpen: boolean): boolean {
  return !isBoxOpen && queued.delete(id)
}

interface Row extends Pick<Conversation, 'id' | 'status' | 'label' | 'suppression'> {
  lastMessage: Pick<Conversation['lastMessage'], 'isOurs'>
}

/**
 * The first person after the open conversation who waits for an answer, or else the first of all.
 * People whose answer is on its way do not count, although the list may still show them as waiting.
 */
export function nextWaiting<R extends Row>(rows: readonly R[], openId: string | null): R | undefined {
  const start = rows.findIndex(({ id }) => id === openId) + 1
  const inOrder = [...rows.slice(start), ...rows.slice(0, start)]
  const others = inOrder.filter(({ id }) => id !== openId && !isBeingAnswered(id))
  // Only people who wrote last and may want an answer.
  return others.find(isWaiting)
}

interface Page<R> {
  conversations: readonly R[]
  cursor: string | null
}

/**
 * Looks for the next person who waits on the pages after the loaded ones.
 * @param cursor of the first of these pages; null if there is none
 * @param isCanceled called before each page
 */
export async function nextWaitingAfter<R extends Row>(
  cursor: string | null,
  openId: string | null,
  load: (cursor: string) => Promise<Page<R>>,
  isCanceled: () => boolean,
): Promise<R | undefined> {
  for (let next = cursor; next !== null && !isCanceled(); ) {
    const page = await load(next)
    const row = nextWaiting(page.conversations, openId)
    if (row) return row
    next = page.cursor
  }
  return undefined
}
