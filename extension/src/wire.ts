import type { ExtensionErrorCode } from '@x-automated/contract/outreach/extension'

/** The person to write to. */
export interface Peer {
  handle: string
  /** Their id on X, as the product knows it. A page that shows another one is refused. */
  xUserId?: string | undefined
  /** Their id on X, as their profile shows it; null: it does not. */
  recipientId: string | null
}

interface WithSender {
  /** The account that must be signed in to X, without @; undefined: any. */
  sendsAs?: string | undefined
}

/** Commands from the background to the script on x.com, in order of use. */
export type Command =
  /** Checks who is signed in, on any page. */
  | ({ do: 'check' } & WithSender)
  /** Reads the open profile: who is signed in, whose profile it is and whether they accept messages. */
  | ({ do: 'meet' } & Omit<Peer, 'recipientId'> & WithSender)
  /** Opens the conversation from the profile, unless it is open. */
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
  /** All with this text, except failed ones. */
  same: number
  /** Those that X has accepted. */
  sent: number
  failed: number
}

interface Answers {
  check: object
  meet: { recipientId: string | null }
  open: { path: string }
  write: MessageCounts
  /** `refused`: X's own text, if it showed that the message was not sent. */
  press: { appeared: boolean; refused?: string }
  /** `whole`: at least as many messages are shown as before. */
  look: MessageCounts & { whole: boolean }
}

/** Why a command failed. In response to `press`, send was not pressed. */
export interface Problem {
  code: ExtensionErrorCode
  detail?: string
}

export type Answer<Name extends Command['do']> = { done: Answers[Name] } | { problem: Problem }

/**
 * Unrequested reports of the script: it has loaded, and which account is signed in. The background replies
 * to the first with the parts of X's pages; undefined: those that the extension ships.
 */
export type Notice = { notice: 'here' } | { notice: 'account'; handle: string | null }

export function isNotice(value: unknown): value is Notice {
  return typeof value === 'object' && value !== null && 'notice' in value
}

/** Requests from the popup. The background replies with the status. */
export type PopupRequest = { popup: 'pair'; code: string } | { popup: 'unpair' | 'wake' }

export function isPopupRequest(value: unknown): value is PopupRequest {
  return typeof value === 'object' && value !== null && 'popup' in value
}
