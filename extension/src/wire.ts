import type { ExtensionErrorCode } from '@x-automated/contract/outreach/extension'

/** Commands from the background to the script on x.com, in order of use. */
export type Command =
  /**
   * Reads the open profile: who is signed in, whose profile it is and whether they accept messages.
   */
  | { do: 'meet'; handle: string; sendsAs?: string | undefined }
  /** Opens the conversation from the profile, unless it is open. */
  | { do: 'open'; handle: string; recipientId: string | null }
  /** Writes the message into the composer without sending it. */
  | { do: 'write'; handle: string; recipientId: string | null; message: string }
  /** Presses send once, and waits until the message appears in the conversation. */
  | { do: 'press'; handle: string; recipientId: string | null; message: string; sendsAs?: string | undefined }
  /** Reads the open conversation. */
  | { do: 'look'; handle: string; recipientId: string | null; message: string; atLeast: number }

/** The number of messages in the conversation, and how many of them match this one. */
export interface MessageCounts {
  total: number
  same: number
}

export interface Answers {
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

/** Unrequested reports of the script: it has loaded, and which account is signed in. */
export type Notice = { notice: 'here' } | { notice: 'account'; handle: string | null }

export function isNotice(value: unknown): value is Notice {
  return typeof value === 'object' && value !== null && 'notice' in value
}

/** Requests from the popup. The background replies with the status. */
export type PopupRequest = { popup: 'pair'; code: string } | { popup: 'unpair' | 'wake' }

export function isPopupRequest(value: unknown): value is PopupRequest {
  return typeof value === 'object' && value !== null && 'popup' in value
}
