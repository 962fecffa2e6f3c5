import type { Answer, MessageCounts, Problem } from '../wire.ts'
import { find, findAll, pause, shownText, steady, until } from './dom.ts'
import {
  ANY_COMPOSER,
  CONVERSATION_PATH,
  CONVERSATIONS,
  type ConversationParts,
  FACE_PREFIX,
  NOT_TAKEN,
  PAGE,
  PASSCODE,
  PROFILE,
  REFUSAL,
  TAKEN,
} from './parts.ts'
import { isIdle, missing, otherSender, ownHandle, type Sender } from './profile.ts'
import { isHandle, isWritten, readsAs } from './text.ts'

const LOAD_MS = 12_000
const EDIT_MS = 2000
const APPEAR_MS = 12_000
/** How long the message must stay visible before it counts as sent. */
const STEADY_MS = 500
/** Messages load after the page. They are complete when none was added for this long. */
const HISTORY_MS = 1000

/** The person to write to. */
interface Peer {
  handle: string
  recipientId: string | null
}

/** An open conversation with a composer. */
interface Conversation {
  parts: ConversationParts
  panel: HTMLElement
  composer: HTMLElement
}

/** Opens the conversation from the profile, unless it is open, and checks whom it is with. */
export async function open(peer: Peer): Promise<Answer<'open'>> {
  if (!CONVERSATION_PATH.test(location.pathname)) {
    const button = find(PROFILE.message)
    if (!button) return { problem: missing(null, 'the message button') }
    button.click()
  }
  const opened = await openConversation(peer)
  return 'code' in opened ? { problem: opened } : { done: { path: location.pathname } }
}

/** Writes the message into the composer and checks the result. */
export async function write(peer: Peer, message: string): Promise<Answer<'write'>> {
  const opened = await openConversation(peer)
  if ('code' in opened) return { problem: opened }
  const { composer } = opened
  const before = await history(opened.parts, opened.panel, message)
  if (isWritten(written(composer), message)) return { done: before }
  if (written(composer).trim() !== '') return { problem: { code: 'DRAFT_IN_THE_WAY' } }

  // Plain fields need typing; rich editors keep line breaks only in pasted text.
  for (const put of composer instanceof HTMLTextAreaElement ? [type, paste] : [paste, type]) {
    composer.focus()
    put(composer, message)
    if (await until(() => isWritten(written(composer), message), { ms: EDIT_MS })) return { done: before }
    empty(composer)
    if (!(await until(() => written(composer).trim() === '', { ms: EDIT_MS }))) break
  }
  return { problem: { code: 'PAGE_CHANGED', detail: 'the field for a message' } }
}

/** Presses send once, and waits until the message appears. A problem means it was not pressed. */
export async function press(peer: Peer & Sender, message: string): Promise<Answer<'press'>> {
  // The user may have switched accounts in another tab.
  const other = otherSender(ownHandle(), peer.sendsAs)
  if (other) return { problem: other }
  const opened = conversationNow()
  if (!opened || !isWith(opened, peer) || !isWritten(written(opened.composer), message))
    return { problem: { code: 'X_UNAVAILABLE' } }
  const { parts, panel } = opened
  const button = await until(() => findAll(parts.sendButton).find(isEnabled), { ms: EDIT_MS })
  if (!button) return { problem: { code: 'PAGE_CHANGED', detail: 'the send button' } }
  // The conversation may have changed while waiting for the button.
  if (!isWith(opened, peer) || !isWritten(written(opened.composer), message))
    return { problem: { code: 'X_UNAVAILABLE' } }

  const before = countMessages(parts, panel, message).same
  const known = new Set(findAll(REFUSAL))
  button.click()

  const seen = await until(
    () => {
      const refused = refusal(parts, panel, message, known)
      if (refused !== null) return { refused }
      return taken(parts, panel, message) > before && { appeared: true }
    },
    { ms: APPEAR_MS },
  )
  if (!seen || 'refused' in seen) return { done: { appeared: false, ...seen } }
  // X may show a message first and report a failure a moment later.
  await pause(STEADY_MS)
  const refused = refusal(parts, panel, message, known)
  if (refused !== null) return { done: { appeared: false, refused } }
  return { done: { appeared: taken(parts, panel, message) > before } }
}

/** Reads the conversation after a reload. */
export async function look(peer: Peer, message: string, atLeast: number): Promise<Answer<'look'>> {
  const opened = await openConversation(peer)
  if ('code' in opened) return { problem: opened }
  const read = await history(opened.parts, opened.panel, message)
  return { done: { ...read, whole: read.total >= atLeast } }
}

/** Waits for the conversation with this person. Returns a problem if it cannot open. */
async function openConversation(peer: Peer): Promise<Conversation | Problem> {
  const seen = await until(
    () => {
      if (find(PASSCODE)) return 'passcode'
      if (find(PAGE.trouble)) return 'trouble'
      const now = conversationNow()
      return now && isWith(now, peer) ? now : null
    },
    { ms: LOAD_MS, untilIdle: isIdle },
  )
  if (seen === 'passcode') return { code: 'X_NEEDS_YOU', detail: 'the passcode of your chat' }
  if (seen === 'trouble') return missing(seen, '')
  if (seen) return seen
  if (conversationNow()) return missing(null, 'whom a conversation is with')
  const panel = CONVERSATIONS.map((parts) => find(parts.panel)).find((one) => one !== null)
  if (panel && !find(ANY_COMPOSER, panel) && isIdle()) return { code: 'INBOX_CLOSED' }
  return missing(null, 'the field for a message')
}

function conversationNow(): Conversation | null {
  for (const parts of CONVERSATIONS) {
    const composer = find(parts.composer)
    const panel = composer && (composer.closest<HTMLElement>(parts.panel) ?? find(parts.panel))
    if (panel) return { parts, panel, composer }
  }
  return null
}

/** Whether the conversation is with this person only, by its id and the links in its header. */
function isWith({ parts, panel }: Conversation, { handle, recipientId }: Peer): boolean {
  const ids = CONVERSATION_PATH.exec(location.pathname)?.[1]?.split('-')
  if (!ids) return false
  if (recipientId !== null) return ids.includes(recipientId)
  const head = findAll(`a[href], [data-testid^="${FACE_PREFIX}"]`, panel).filter((one) => !one.closest(parts.entry))
  return head.some((one) => {
    if (one instanceof HTMLAnchorElement) return isHandle(one.pathname.slice(1), handle)
    return isHandle(one.dataset.testid?.slice(FACE_PREFIX.length), handle)
  })
}

function written(composer: HTMLElement): string {
  return composer instanceof HTMLTextAreaElement ? composer.value : shownText(composer)
}

/** Pastes the text: rich editors keep its line breaks. */
function paste(composer: HTMLElement, message: string) {
  const clipboardData = new DataTransfer()
  clipboardData.setData('text/plain', message)
  composer.dispatchEvent(
    new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true, composed: true }),
  )
}

/** Types the text through the browser's insertText command. */
function type(_composer: HTMLElement, message: string) {
  document.execCommand('insertText', false, message)
}

function empty(composer: HTMLElement) {
  composer.focus()
  document.execCommand('selectAll')
  document.execCommand('delete')
}

function isEnabled(button: HTMLElement): boolean {
  return !(button as HTMLButtonElement).disabled && button.getAttribute('aria-disabled') !== 'true'
}

/** Reads the conversation's messages once no more are added. */
function history(parts: ConversationParts, panel: HTMLElement, message: string): Promise<MessageCounts> {
  const isSame = (one: MessageCounts, other: MessageCounts) => one.total === other.total && isIdle()
  return steady(() => countMessages(parts, panel, message), isSame, HISTORY_MS)
}

function countMessages(parts: ConversationParts, panel: HTMLElement, message: string): MessageCounts {
  const entries = findAll(parts.entry, panel)
  return { total: entries.length, same: entries.filter((entry) => reads(parts, entry, message)).length }
}

function taken(parts: ConversationParts, panel: HTMLElement, message: string): number {
  return findAll(parts.entry, panel).filter((entry) => {
    const state = parts.state === null ? null : entry.getAttribute(parts.state)
    return (state === null || TAKEN.includes(state)) && reads(parts, entry, message)
  }).length
}

function reads(parts: ConversationParts, entry: HTMLElement, message: string): boolean {
  const text = parts.entryText.map((selector) => find(selector, entry)).find((one) => one !== null)
  return text !== undefined && readsAs(shownText(text), message)
}

/** X's error text about the message, from the page or from the message itself. */
function refusal(
  parts: ConversationParts,
  panel: HTMLElement,
  message: string,
  known: Set<HTMLElement>,
): string | null {
  const alert = findAll(REFUSAL).find((one) => !known.has(one) && shownText(one).trim() !== '')
  if (alert) return shownText(alert).trim().slice(0, 200)
  const failed = findAll(parts.entry, panel).some((entry) => {
    const state = parts.state === null ? null : entry.getAttribute(parts.state)
    return state !== null && NOT_TAKEN.includes(state) && reads(parts, entry, message)
  })
  return failed ? 'it is marked as not sent' : null
}
