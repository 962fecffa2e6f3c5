/**
 * Messages between pages and the extension, sent with `chrome.runtime.sendMessage(EXTENSION_ID,
 * request, reply => …)`. Plain types, so that neither side ships a schema library.
 */

/** The extension's id, derived from the manifest's `key` (extension/wxt.config.ts). */
export const EXTENSION_ID = 'nkljnmgfcoomkbpndklheidkngmhbldm'

/** Sends one direct message from the X account signed in to this browser. */
export interface SendDmRequest {
  action: 'SEND_TWITTER_DM'
  data: {
    /** With or without a leading @. */
    twitterHandle: string
    /** 1 to MESSAGE_LIMIT characters, not blank. */
    message: string
    /** Idempotency key: the lease. Send is pressed at most once per id. */
    requestId?: string
    /**
     * The claimed message whose lease is `requestId`. The extension asks the product or the page
     * (PageQuestion) before it presses send. If paired, it also reports the outcome.
     */
    dmId?: string
    /** The run that the message belongs to. UNCLEAR_IN_A_ROW is counted per run. */
    runId?: string
    /** The account that must be signed in to X, with or without a leading @. */
    sendsAs?: string
    /** The X user id that the profile or conversation must have. If it differs, nothing is typed. */
    xUserId?: string
    /** Send is not pressed after this time (ms since 1970): another sender may have claimed the message. */
    notAfter?: number
  }
}

/** Asks whether the extension is installed and can send. */
interface ExtensionStatusRequest {
  action: 'GET_STATUS'
}

/** Checks whether a message could be sent now. Opens X, but no profile, and changes nothing. */
interface CheckRequest {
  action: 'CHECK_SENDING'
  /** The account that must be signed in to X, with or without a leading @. */
  data: { sendsAs?: string }
}

/** Pairs the extension with the account that created the code. */
interface PairRequest {
  action: 'PAIR'
  data: { code: string }
}

/** Deletes the pairing, after finishing any message that is being sent. */
interface UnpairRequest {
  action: 'UNPAIR'
}

/** Allows or forbids a paired extension to send while no page of the product is open. */
interface BackgroundSendingRequest {
  /** The former name is for older versions of the other side. Remove it in 1.1. */
  action: 'SET_BACKGROUND_SENDING' | typeof FORMER_BACKGROUND_SENDING
  data: { allowed: boolean }
}

/** The name of SET_BACKGROUND_SENDING before 1.0. */
export const FORMER_BACKGROUND_SENDING = 'SET_SENDING_ALONE'

export type ExtensionRequest =
  | SendDmRequest
  | CheckRequest
  | ExtensionStatusRequest
  | PairRequest
  | UnpairRequest
  | BackgroundSendingRequest

/** The port that a page opens for a run. While it is open, the extension claims nothing in the background. */
export const RUN_PORT = 'run'

/** Asks the page whether the message may still be sent. Only used by extensions without a token. */
export interface PageQuestion {
  ask: 'MAY_SEND'
  dmId: string
  lease: string
}

/** The page's reply. The extension sends only if `maySend` is true; null means unknown. */
export interface PageAnswer {
  dmId: string
  lease: string
  maySend: boolean | null
}

/** How long after its claim a message may be sent, in ms. Well within LEASE_SECONDS. */
export const SEND_WITHIN_MS = 90_000

/** The longest direct message that X accepts, in UTF-16 code units. */
export const MESSAGE_LIMIT = 10_000

/** Texts for each reason not to send, with the placeholders {handle} and {detail}. */
export const EXTENSION_TEXT = {
  // From here to CANNOT_TELL: only this lead is concerned, so the run tries the next one.
  INBOX_CLOSED: '@{handle} does not accept direct messages from your X account.',
  NO_SUCH_PERSON: '@{handle} is no longer on X.',
  /** X shows another id than the lead's. */
  WRONG_PERSON: '@{handle} on X is not your lead: the profile has another X user ID. Nothing was sent.',
  /** The person wrote first. Counts as a reply. */
  MESSAGE_REQUEST: '@{handle} wrote to you first. Accept their message request on X. Nothing was sent.',
  DRAFT_IN_THE_WAY: 'There is an unfinished message to @{handle} on X. Send or delete it there first.',
  OUTCOME_UNKNOWN: 'Outcome unknown: check the conversation before sending again',
  X_REFUSED: 'X rejected the message: {detail}',
  /** The product withdrew the message: its campaign was paused, or its lead opted out. */
  CALLED_BACK: 'Not sent: its campaign was paused, or @{handle} may no longer be messaged.',
  /** The message returns to the queue and does not count as failed. */
  CANNOT_TELL: 'X did not show whether @{handle} can be messaged. Nothing was sent. It will be tried again later.',
  // From here on: every lead is concerned, so the run stops. INVALID_REQUEST is the exception.
  PAUSED: 'The extension is paused. Resume it in its popup.',
  NOT_SIGNED_IN: 'Log in to X in this browser first, then try again.',
  /** {detail} names both accounts: '@b, but the campaign sends as @a'. */
  WRONG_ACCOUNT:
    'This browser is logged in to X as {detail}. Switch to that account on x.com, then try again. If both are the same account under a new name, connect it again.',
  X_NEEDS_YOU: 'X needs your attention: {detail}. Open x.com, then try again.',
  X_UNAVAILABLE: 'X did not show its page in time. Nothing was sent.',
  PAGE_CHANGED:
    'X has changed its page: the extension no longer finds {detail}. Nothing was sent. Update the extension, or choose “Check again” in its popup.',
  /** {detail} is the number of people in a row. */
  CANNOT_TELL_IN_A_ROW:
    "X did not show for {detail} people in a row whether they can be messaged. X may be slow, or may have changed its page. Nothing was sent to them, and no one was marked as failed. Look at @{handle}'s profile on X, then choose “Check again” in the extension's popup.",
  /** The text of extensions before 0.2. Remove it in 0.3. */
  INBOXES_CLOSED: "The last {detail} people couldn't be messaged. Nothing was sent to @{handle}.",
  PRODUCT_UNREACHABLE: 'X-Automated did not respond, so nothing was sent.',
  BUSY: 'The extension is still busy with earlier messages. Try again in a moment.',
  PAIRING_FAILED: '{detail}',
  INVALID_REQUEST: 'The extension does not understand this request: {detail}.',
  FORBIDDEN_ORIGIN: 'This page may not use the extension.',
} as const satisfies Record<string, string>

export type ExtensionErrorCode = keyof typeof EXTENSION_TEXT

/**
 * What a failure means. `failed`: it only concerns this lead. `later`: not sent for an unknown
 * reason, so the message is queued again. `unknown`: it might have been sent. `called-back`: the
 * product withdrew it. `stop`: not sent, and the next message would fail, too.
 */
export type ExtensionEnd = 'failed' | 'later' | 'unknown' | 'called-back' | 'stop'

const ENDS: Partial<Record<ExtensionErrorCode, ExtensionEnd>> = {
  INBOX_CLOSED: 'failed',
  NO_SUCH_PERSON: 'failed',
  WRONG_PERSON: 'failed',
  MESSAGE_REQUEST: 'failed',
  DRAFT_IN_THE_WAY: 'failed',
  X_REFUSED: 'failed',
  INVALID_REQUEST: 'failed',
  CANNOT_TELL: 'later',
  OUTCOME_UNKNOWN: 'unknown',
  CALLED_BACK: 'called-back',
}

export function endOf(code: ExtensionErrorCode | undefined): ExtensionEnd {
  return code === undefined ? 'failed' : (ENDS[code] ?? 'stop')
}

/** The run stops after this many people in a row for whom X did not show whether they can be messaged. */
export const UNCLEAR_IN_A_ROW = 3

export interface ExtensionFailure {
  success: false
  error: string
  code: ExtensionErrorCode
}

/** The reply to a SendDmRequest. `success` only once the message appears in the conversation. */
export type SendDmReply = { success: true } | ExtensionFailure

/** The reply to a CheckRequest. */
export type CheckReply = { success: true } | ExtensionFailure

/** The reply to every other request. */
export type ExtensionStatusReply = { success: true; status: ExtensionStatus } | ExtensionFailure

export interface ExtensionStatus {
  version: string
  paused: boolean
  /** The part of X's page that was not found; null if all were found. */
  pageChanged: string | null
  /** The account last seen on X, without @. Null if none was signed in, undefined if X has not been open. */
  signedInAs: string | null | undefined
  /** The account that the extension is paired with, or null. */
  pairedWith: { email: string; workspaceName: string } | null
  /** Whether the extension sends while no page of the product is open. */
  sendsInBackground: boolean
  /** The former name of `sendsInBackground`, for pages of the previous version. Remove it in 1.1. */
  sendsAlone?: boolean
  /** What the extension is doing right now. */
  activity: ExtensionActivity
}

export type ExtensionActivity =
  | { doing: 'nothing' }
  | { doing: 'sending'; handle: string }
  /** Milliseconds since 1970. */
  | { doing: 'waiting'; until: number }
  /** The user must fix something first. The extension tries again at `until`. */
  | { doing: 'stopped'; error: string; until: number }

/** The manifest's match patterns for this origin. Loopback origins match as localhost and 127.0.0.1. */
export function connectableMatches(publicUrl: string): string[] {
  const { protocol, hostname, port } = new URL(publicUrl)
  const loopback = ['localhost', '127.0.0.1']
  const names = loopback.includes(hostname) ? loopback : [hostname]
  return names.map((name) => `${protocol}//${name}${port && `:${port}`}/*`)
}
