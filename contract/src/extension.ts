/**
 * How the product's pages and the browser extension talk (specification §7, 'Browser extension'): a page calls
 * `chrome.runtime.sendMessage(EXTENSION_ID, request, reply => …)`. Plain types, so that neither side ships a schema library.
 */

/** The extension's id, the same everywhere it is installed: it follows from the manifest's `key` (extension/wxt.config.ts). */
export const EXTENSION_ID = 'nkljnmgfcoomkbpndklheidkngmhbldm'

/** Sends one direct message as whoever is signed in to X in this browser. */
export interface SendDmRequest {
  action: 'SEND_TWITTER_DM'
  data: {
    /** With or without a leading @. */
    twitterHandle: string
    /** 1 to MESSAGE_LIMIT characters, not blank. */
    message: string
    /**
     * Names the attempt (a lease, say). The extension presses send at most once for each: asked again it answers with how
     * the first one ended. Without it, every request is another attempt.
     */
    requestId?: string
    /**
     * The claimed message that this is, `requestId` being its lease. Right before it presses send the extension then asks
     * whether it still may: the product, where it is paired with the account that has claimed, else the page (PageQuestion).
     * Paired, it also reports what it has sent itself, as the page may be gone by then.
     */
    dmId?: string
    /** Names the run that it is of: inboxes in a row that seem closed count for one run. */
    runId?: string
    /** Who has to be signed in to X, with or without a leading @: where it is somebody else, nothing is sent. */
    sendsAs?: string
    /** Send is not pressed after this moment of this computer's clock (milliseconds since 1970), when the claim may be another's. */
    notAfter?: number
  }
}

/** Asks whether the extension is there and can send. */
export interface ExtensionStatusRequest {
  action: 'GET_STATUS'
}

/** Pairs the extension with the account that the code is of. */
export interface PairRequest {
  action: 'PAIR'
  data: { code: string }
}

/** Forgets the pairing. What the extension has in hand it finishes. */
export interface UnpairRequest {
  action: 'UNPAIR'
}

/** Allows a paired extension to send while no page of the product is open, or forbids it. */
export interface BackgroundSendingRequest {
  /** The former name works for one version, as pages and extensions update at different times. Drop it in 1.1. */
  action: 'SET_BACKGROUND_SENDING' | typeof FORMER_BACKGROUND_SENDING
  data: { allowed: boolean }
}

/** What SET_BACKGROUND_SENDING was called before 1.0. */
export const FORMER_BACKGROUND_SENDING = 'SET_SENDING_ALONE'

export type ExtensionRequest =
  | SendDmRequest
  | ExtensionStatusRequest
  | PairRequest
  | UnpairRequest
  | BackgroundSendingRequest

/** The name of the port that a page holds while it drives a run: as long as it does, the extension claims nothing by itself. */
export const RUN_PORT = 'run'

/** Asked of the page over its port right before send is pressed, where the extension has no key that opens this message: may it still go out? */
export interface PageQuestion {
  ask: 'MAY_SEND'
  dmId: string
  lease: string
}

/** The page's answer; null: it could not find out. Nothing is sent but on true. */
export interface PageAnswer {
  dmId: string
  lease: string
  maySend: boolean | null
}

/** From the claim on, how long a message may still be sent under it: well within its lease (LEASE_SECONDS), in milliseconds. */
export const SEND_WITHIN_MS = 90_000

/** The longest direct message that X takes, in UTF-16 code units. */
export const MESSAGE_LIMIT = 10_000

/** Why the extension did not send, with what a screen may show. {handle} and {detail} are filled in. */
export const EXTENSION_TEXT = {
  /** What went wrong lies with this lead: the next one may be tried. */
  INBOX_CLOSED: '@{handle} does not take direct messages from your X account.',
  NO_SUCH_PERSON: '@{handle} is not on X any more.',
  DRAFT_IN_THE_WAY: 'There is an unfinished message to @{handle} on X. Send or delete it there first.',
  OUTCOME_UNKNOWN: 'Outcome unknown: check the conversation before sending again',
  X_REFUSED: 'X did not take the message: {detail}',
  /** The product took it back: its campaign was paused, or its lead opted out. */
  CALLED_BACK: 'Not sent: its campaign was paused, or @{handle} is not to be written to any more.',
  /** It lies elsewhere: the next lead would fare no better. */
  PAUSED: 'The extension is paused. Resume it in its popup.',
  NOT_SIGNED_IN: 'Sign in to X in this browser first, then try again.',
  /** {detail} names both: '@b, but the campaign sends as @a'. */
  WRONG_ACCOUNT:
    'This browser is signed in to X as {detail}. Switch to that account on x.com, then try again. If both are the same account under a new name, connect it again.',
  X_NEEDS_YOU: 'X asks you for something first: {detail}. Open x.com, answer it, then try again.',
  X_UNAVAILABLE: 'X did not show its page in time. Nothing was sent.',
  PAGE_CHANGED:
    'X has changed its page: the extension does not find {detail} any more. Nothing was sent. Update the extension, or choose "Check again" in its popup.',
  /** {detail} is how many in a row. */
  INBOXES_CLOSED:
    '{detail} people in a row seem to take no direct messages: either it is so, or X has changed its page. Nothing was sent to @{handle}. Look at their profile on X, then choose "Check again" in the extension’s popup, or update the extension.',
  PRODUCT_UNREACHABLE: 'X-Automated did not answer, so nothing was sent.',
  BUSY: 'The extension is still busy with earlier messages. Try again in a moment.',
  PAIRING_FAILED: '{detail}',
  INVALID_REQUEST: 'The extension does not understand this request: {detail}.',
  FORBIDDEN_ORIGIN: 'This page may not use the extension.',
} as const satisfies Record<string, string>

export type ExtensionErrorCode = keyof typeof EXTENSION_TEXT

/**
 * What a failed attempt means for its message and the run. `failed`: it lies with this lead, the next one may be tried.
 * `unknown`: nobody knows whether it was sent. `called-back`: the product has dealt with it. `stop`: certainly not sent, and the
 * next one would fare no better.
 */
export type ExtensionEnd = 'failed' | 'unknown' | 'called-back' | 'stop'

const ENDS: Partial<Record<ExtensionErrorCode, ExtensionEnd>> = {
  INBOX_CLOSED: 'failed',
  NO_SUCH_PERSON: 'failed',
  DRAFT_IN_THE_WAY: 'failed',
  X_REFUSED: 'failed',
  INVALID_REQUEST: 'failed',
  OUTCOME_UNKNOWN: 'unknown',
  CALLED_BACK: 'called-back',
}

export function endOf(code: ExtensionErrorCode | undefined): ExtensionEnd {
  return code === undefined ? 'failed' : (ENDS[code] ?? 'stop')
}

/** X refusing so many in a row means the account, not the leads. */
export const REFUSALS_IN_A_ROW = 3
/** So many inboxes in a row that seem closed may as well mean that X draws another page. */
export const CLOSED_IN_A_ROW = 3

export interface ExtensionFailure {
  success: false
  error: string
  code: ExtensionErrorCode
}

/** The reply to a SendDmRequest: `success` only once the message was seen to stand in the conversation. */
export type SendDmReply = { success: true } | ExtensionFailure

/** The reply to every request but a SendDmRequest. */
export type ExtensionStatusReply = { success: true; status: ExtensionStatus } | ExtensionFailure

export interface ExtensionStatus {
  version: string
  paused: boolean
  /** The part of X's page that was not found; null while all is well. */
  pageChanged: string | null
  /** Who was last seen signed in to X in this browser, without @; null where nobody was, undefined where X was not open yet. */
  signedInAs: string | null | undefined
  /** Whose account it is paired with; null: none. */
  pairedWith: { email: string; workspaceName: string } | null
  /** Whether it sends while no page of the product is open. */
  sendsInBackground: boolean
  /** The former name of `sendsInBackground`, for pages of the version before. Drop it in 1.1. */
  sendsAlone?: boolean
  /** What it is about right now. */
  activity: ExtensionActivity
}

export type ExtensionActivity =
  | { doing: 'nothing' }
  | { doing: 'sending'; handle: string }
  /** Milliseconds since 1970. */
  | { doing: 'waiting'; until: number }
  /** Something has to be seen to first; it looks again at `until`. */
  | { doing: 'stopped'; error: string; until: number }

/**
 * The match patterns of the manifest's `externally_connectable` for a product at this origin. On loopback both its names
 * are let in, since both lead there.
 */
export function connectableMatches(publicUrl: string): string[] {
  const { protocol, hostname, port } = new URL(publicUrl)
  const loopback = ['localhost', '127.0.0.1']
  const names = loopback.includes(hostname) ? loopback : [hostname]
  return names.map((name) => `${protocol}//${name}${port && `:${port}`}/*`)
}
