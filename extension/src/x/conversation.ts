import { matchPath } from '@x-automated/contract/outreach/extension-pages'
import type { Answer, MessageCounts, Peer, Problem } from '../wire.ts'
import { createSteadiness, enclosing, find, findAll, pause, steady, until, visibleText } from './dom.ts'
import { part, pathsOf, selectorsOf } from './parts.ts'
import { isLocked, LOCKED, otherSender, ownHandle, type Sender, SIGN_MS } from './profile.ts'
import { isHandle, isWritten, readsAs } from './text.ts'

const EDIT_MS = 2000
const APPEAR_MS = 12_000
/** How long the message must stay visible before it counts as sent. */
const STEADY_MS = 500
/** Messages may load seconds after the composer. */
const HISTORY_MS = 6000
/** How long a conversation with someone else must be open before that is reported. */
const WRONG_MS = 2000
/** The messages count as completely loaded if none has been added for this long. */
const COMPLETE_MS = 1000

/** Any text field, whatever X calls it. */
const ANY_COMPOSER = 'textarea, [contenteditable="true"], [role="textbox"]'

/** An open conversation with a composer. */
interface Conversation {
  panel: HTMLElement
  composer: HTMLElement
}

/** Opens the conversation from the profile, unless it is open, and checks whom it is with. */
export async function open(peer: Peer): Promise<Answer<'open'>> {
  const opened = await openConversation(peer)
  return 'code' in opened ? { problem: opened } : { done: { path: location.pathname } }
}

/** Writes the message into the composer, in the first of several ways that X's page accepts. */
export async function write(peer: Peer, message: string): Promise<Answer<'write'>> {
  const opened = await openConversation(peer)
  if ('code' in opened) return { problem: opened }
  const { panel, composer } = opened
  const before = await history(panel, message)
  const isReady = () => isWritten(written(composer), message) && sendButtons(panel).length > 0
  if (isReady()) return { done: before }
  if (written(composer).trim() !== '') return { problem: { code: 'DRAFT_IN_THE_WAY' } }

  let wasWritten = false
  for (const put of [type, paste, setValue]) {
    composer.focus()
    put(composer, message)
    if (await until(isReady, EDIT_MS)) return { done: before }
    wasWritten ||= isWritten(written(composer), message)
    if (written(composer).trim() === '') continue
    empty(composer)
    if (!(await until(() => written(composer).trim() === '', EDIT_MS))) break
  }
  return { problem: { code: 'PAGE_CHANGED', detail: wasWritten ? 'the send button' : 'the field for a message' } }
}

/** Presses send once, and waits until the message appears. If it returns a problem, send was not pressed. */
export async function press(peer: Peer & Sender, message: string): Promise<Answer<'press'>> {
  // The user may have switched accounts in another tab.
  const other = otherSender(ownHandle(), peer.sendsAs)
  if (other) return { problem: other }
  const opened = conversationWith(peer)
  const isReady = () => opened !== null && isWith(opened.panel, peer) && isWritten(written(opened.composer), message)
  const failure = () => ({ problem: wrongPerson(peer) ?? ({ code: 'X_UNAVAILABLE' } as const) })
  if (!opened || !isReady()) return failure()
  const { panel } = opened
  const button = await until(() => sendButtons(panel).find(isEnabled), EDIT_MS)
  if (!button) return { problem: { code: 'PAGE_CHANGED', detail: 'the send button' } }
  // The conversation may have changed while waiting for the button.
  if (!isReady()) return failure()

  const before = countMessages(panel, message)
  const knownAlerts = new Set(findAll(part('refusal')))
  button.click()

  const end = await until(() => {
    const now = countMessages(panel, message)
    if (now.failed > before.failed) return 'failed'
    return now.sent > before.sent && 'sent'
  }, APPEAR_MS)
  // X may show a message first and report a failure a moment later.
  if (end === 'sent') await pause(STEADY_MS)
  const now = countMessages(panel, message)
  if (end === 'sent' && now.failed === before.failed) return { done: { appeared: now.sent > before.sent } }
  const alert = findAll(part('refusal'))
    .filter((element) => !knownAlerts.has(element))
    .map((element) => visibleText(element).trim().slice(0, 200))
    .find((text) => text !== '')
  const refused = alert ?? (now.failed > before.failed ? 'it is marked as not sent' : undefined)
  return { done: { appeared: false, ...(refused !== undefined && { refused }) } }
}

/** Reads the conversation after a reload. */
export async function look(peer: Peer, message: string, atLeast: number): Promise<Answer<'look'>> {
  const opened = await openConversation(peer)
  if ('code' in opened) return { problem: opened }
  const counts = await history(opened.panel, message)
  return { done: { ...counts, isComplete: counts.total >= atLeast } }
}

/** Waits for the conversation with this person. Clicks the profile's message button if needed. */
async function openConversation(peer: Peer): Promise<Conversation | Problem> {
  let wasClicked = isInChat()
  const isSteady = createSteadiness(WRONG_MS)
  const sign = await until(() => {
    const wrong = find(part('composer')) && wrongPerson(peer)
    const trouble = find(part('trouble')) && ({ code: 'X_UNAVAILABLE' } as const)
    const seen = visibleProblem(peer) ?? conversationWith(peer) ?? trouble ?? (isSteady(wrong !== null) ? wrong : null)
    const button = !seen && !wasClicked && find(part('messageButton'))
    if (button) {
      wasClicked = true
      button.click()
    }
    return seen
  }, SIGN_MS)
  if (sign) return sign
  if (!wasClicked) return { code: 'PAGE_CHANGED', detail: 'the message button' }
  if (find(part('composer'))) return { code: 'PAGE_CHANGED', detail: 'whom a conversation is with' }
  const panel = find(part('conversation'))
  if (panel && find(ANY_COMPOSER, panel)) return { code: 'PAGE_CHANGED', detail: 'the field for a message' }
  return { code: 'CANNOT_TELL' }
}

/** Why this person cannot be messaged, according to the page. Null if it shows no reason. */
function visibleProblem(peer: Peer): Problem | null {
  if (isLocked()) return LOCKED
  if (matches('newPasscodePaths'))
    return { code: 'X_NEEDS_YOU', detail: 'it asks you to choose a passcode for your chats' }
  if (matches('passcodePaths') || find(part('passcode')))
    return { code: 'X_NEEDS_YOU', detail: 'it asks for the passcode of your chats' }
  const requestIds = matchPath(pathsOf('requestPaths'), location.pathname)
  if (requestIds ? isOneOf(requestIds, peer) : isVisibleTo('requestPrompt', peer)) return { code: 'MESSAGE_REQUEST' }
  return isVisibleTo('inboxClosed', peer) ? { code: 'INBOX_CLOSED' } : null
}

/** Whether this part is visible in the conversation with this person. */
function isVisibleTo(name: 'requestPrompt' | 'inboxClosed', peer: Peer): boolean {
  const element = find(part(name))
  const panel = element && panelOf(element)
  return panel !== null && isWith(panel, peer)
}

function matches(name: Parameters<typeof pathsOf>[0]): boolean {
  return matchPath(pathsOf(name), location.pathname) !== null
}

function isInChat(): boolean {
  return (['conversationPaths', 'requestPaths', 'newPasscodePaths', 'passcodePaths'] as const).some(matches)
}

/** The open conversation with this person, either on its own page or in the drawer. */
function conversationWith(peer: Peer): Conversation | null {
  for (const composer of findAll(part('composer'))) {
    const panel = panelOf(composer)
    if (panel && isWith(panel, peer)) return { panel, composer }
  }
  return null
}

function panelOf(element: Element): HTMLElement | null {
  return (
    enclosing(element, part('conversation')) ?? enclosing(element, part('drawer')) ?? find(part('conversation')) ?? null
  )
}

const idOf = ({ xUserId, recipientId }: Peer): string | null => xUserId ?? recipientId

function isOneOf(ids: readonly string[], peer: Peer): boolean {
  const id = idOf(peer)
  return id === null || ids.includes(id)
}

/** Whether the conversation is with this person only, judging by its path or the links in its header. */
function isWith(panel: HTMLElement, peer: Peer): boolean {
  const links = findAll(part('conversationHeader'), panel)
    .flatMap((header) => findAll('a[href]', header))
    .map((link) => (link as HTMLAnchorElement).pathname)
  const isInDrawer = enclosing(panel, part('drawer')) !== null
  const paths = isInDrawer ? links : [location.pathname]
  const ids = paths.map((path) => matchPath(pathsOf('conversationPaths'), path)).find((pair) => pair !== null)
  if (!ids && !isInDrawer) return false
  if (ids && idOf(peer) !== null) return isOneOf(ids, peer)
  // The profile has already shown to whom this handle belongs.
  if (peer.xUserId !== undefined && peer.recipientId !== peer.xUserId) return false
  return links.some((path) => isHandle(path.slice(1), peer.handle))
}

/** WRONG_PERSON if the open conversation is not with the person that the product means, or else null. */
function wrongPerson({ xUserId, recipientId }: Peer): Problem | null {
  const ids = matchPath(pathsOf('conversationPaths'), location.pathname)
  const isWrong = ids !== null && xUserId !== undefined && recipientId === null && !ids.includes(xUserId)
  return isWrong ? { code: 'WRONG_PERSON' } : null
}

function written(composer: HTMLElement): string {
  return composer instanceof HTMLTextAreaElement ? composer.value : visibleText(composer)
}

/** Types the text through the browser's insertText command. */
function type(_composer: HTMLElement, message: string) {
  document.execCommand('insertText', false, message)
}

/** Pastes the text, for pages that handle pasting themselves. */
function paste(composer: HTMLElement, message: string) {
  const clipboardData = new DataTransfer()
  clipboardData.setData('text/plain', message)
  composer.dispatchEvent(
    new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true, composed: true }),
  )
}

/** Sets the value without React's override of the setter, then reports the change. */
function setValue(composer: HTMLElement, message: string) {
  if (!(composer instanceof HTMLTextAreaElement)) return
  Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')?.set?.call(composer, message)
  composer.dispatchEvent(
    new InputEvent('input', { bubbles: true, composed: true, inputType: 'insertText', data: message }),
  )
}

function empty(composer: HTMLElement) {
  composer.focus()
  document.execCommand('selectAll')
  document.execCommand('delete')
}

/** The conversation's send buttons. A button outside of it only counts if the page has no other composer. */
function sendButtons(panel: HTMLElement): HTMLElement[] {
  const inside = findAll(part('sendButton'), panel)
  return inside.length > 0 || findAll(part('composer')).length > 1 ? inside : findAll(part('sendButton'))
}

function isEnabled(button: HTMLElement): boolean {
  return !(button as HTMLButtonElement).disabled && button.getAttribute('aria-disabled') !== 'true'
}

/** Counts the conversation's messages once they have loaded. */
async function history(panel: HTMLElement, message: string): Promise<MessageCounts> {
  await until(() => find(part('message'), panel) ?? find(part('conversationStart'), panel), HISTORY_MS)
  const isSame = (counts: MessageCounts, other: MessageCounts) => counts.total === other.total
  return steady(() => countMessages(panel, message), isSame, COMPLETE_MS)
}

function countMessages(panel: HTMLElement, message: string): MessageCounts {
  const messages = findAll(part('message'), panel)
  const same = messages.filter((element) => reads(element, message))
  const count = (name: 'messageSent' | 'messageFailed') => same.filter((element) => element.matches(part(name))).length
  const failed = count('messageFailed')
  return { total: messages.length, same: same.length - failed, sent: count('messageSent'), failed }
}

function reads(element: HTMLElement, message: string): boolean {
  const text = selectorsOf('messageText')
    .map((selector) => find(selector, element))
    .find((candidate) => candidate !== null)
  return text !== undefined && readsAs(visibleText(text), message)
}
