import type { ExtensionErrorCode } from '@x-automated/contract/extension'

/** What the background asks of the script on x.com, in the order of one message. */
export type Command =
  /** Reads the profile that is open: is somebody signed in, and is it whom the message is from; is this the person, do they take messages? */
  | { do: 'meet'; handle: string; sendsAs?: string | undefined }
  /** Opens the conversation from the profile, or finds it open. */
  | { do: 'open'; handle: string; recipientId: string | null }
  /** Puts the message in the composer, and sends nothing. */
  | { do: 'write'; handle: string; recipientId: string | null; message: string }
  /** Presses send, once, and waits until the message stands in the conversation. */
  | { do: 'press'; handle: string; recipientId: string | null; message: string; sendsAs?: string | undefined }
  /** Reads the conversation that is open. */
  | { do: 'look'; handle: string; recipientId: string | null; message: string; atLeast: number }

/** What stands in the conversation: how many messages in all, and how many that read as this one. */
export interface Standing {
  total: number
  same: number
}

export interface Answers {
  meet: { recipientId: string | null }
  open: { path: string }
  write: Standing
  /** `refused`: X said by itself that it did not take it, in these words. */
  press: { stands: boolean; refused?: string }
  /** `whole`: as many messages are shown as there were before. */
  look: Standing & { whole: boolean }
}

/** Why a command could not be done. In answer to `press`: send was not pressed. */
export interface Problem {
  code: ExtensionErrorCode
  detail?: string
}

export type Answer<Name extends Command['do']> = { done: Answers[Name] } | { problem: Problem }

/** What the script on x.com says by itself: that it is there, and who is signed in once that is to be seen. */
export type Notice = { notice: 'here' } | { notice: 'account'; handle: string | null }

export function isNotice(value: unknown): value is Notice {
  return typeof value === 'object' && value !== null && 'notice' in value
}

/** What the popup asks of the background; it answers with the status. */
export type PopupRequest = { popup: 'pair'; code: string } | { popup: 'unpair' | 'wake' }

export function isPopupRequest(value: unknown): value is PopupRequest {
  return typeof value === 'object' && value !== null && 'popup' in value
}
