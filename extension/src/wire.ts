import type { ExtensionErrorCode } from '@x-automated/contract/outreach/extension'

/** The person to write to. */
export interface Peer {
  handle: string
  /** Their X user id according to the product. A page that shows another id is refused. */
  xUserId?: string | undefined
  /** Their X user id according to their profile; null if the profile shows none. */
  recipientId: string | null
}

interface WithSender {
  /** The account that must be signed in to X, without @; undefined if any may. */
  sendsAs?: string | undefined
}

/** Commands from the background script to the script on x.com, in order of use. */
export type Command =
  /** Checks who is signed in, on any page. */
  | ({ do: 'check' } & WithSender)
  /** Reads the open profile: who is signed in, whose profile it is, and whether they accept messages. */
  | ({ do: 'meet' } & Omit<Peer, 'recipientId'> & WithSender)
  /** Opens the conversation from the profile, unless it is already open. */
  | ({ do: 'open' } & Peer)
  /** Writes the message into the composer without sending it. */
  | ({ do: 'write'; message: string } & Peer)
  /** Presses send once, and waits until the message appears in the conversation. */
  | ({ do: 'press'; message: string } & Peer & WithSender)
  /** Reads the open conversation. */
  | ({ do: 'look'; message: string; atLeast: number } & Peer)

/** The number of messages in the conversation, and of those with this text. */
export interface MessageCounts {
  total: number
  /** Messages with this text, except failed ones. */
  same: number
  /** Messages with this text that X has accepted. */
  sent: number
  failed: number
}

interface Answers {
  check: object
  meet: { recipientId: string | null }
  open: { path: string }
  write: MessageCounts
  /** `refused`: the reason, if X showed that the message was not sent. */
  press: { appeared: boolean; refused?: string }
  /** `isComplete`: the page shows at least as many messages as before send was pressed. */
  look: MessageCounts & { isComplete: boolean }
}

/** Why a command failed. If it was `press`, send was not pressed. */
export interface Problem {
  code: ExtensionErrorCode
  detail?: string
}

export type Answer<Name extends Command['do']> = { done: Answers[Name] } | { problem: Problem }

/**
 * The script's own reports: that it has loaded, and which account is signed in. The background
 * script replies to `here` with the selectors for X's pages, or null if the shipped ones apply.
 */
export type Notice = { notice: 'here' } | { notice: 'account'; handle: string | null }

export function isNotice(value: unknown): value is Notice {
  return typeof value === 'object' && value !== null && 'notice' in value
}

/** Requests from the popup. The background script replies with the status. */
export type PopupRequest = { popup: 'pair'; code: string } | { popup: 'unpair' | 'wake' }

export function isPopupRequest(value: unknown): value is PopupRequest {
  return typeof value === 'object' && value !== null && 'popup' in value
}
