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
  }
}

/** Asks whether the extension is there and can send. */
export interface ExtensionStatusRequest {
  action: 'GET_STATUS'
}

export type ExtensionRequest = SendDmRequest | ExtensionStatusRequest

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
  /** It lies elsewhere: the next lead would fare no better. */
  PAUSED: 'The extension is paused. Resume it in its popup.',
  NOT_SIGNED_IN: 'Sign in to X in this browser first, then try again.',
  X_NEEDS_YOU: 'X asks you for something first: {detail}. Open x.com, answer it, then try again.',
  X_UNAVAILABLE: 'X did not show its page in time. Nothing was sent.',
  PAGE_CHANGED:
    'X has changed its page: the extension does not find {detail} any more. Nothing was sent. Update the extension, or choose "Check again" in its popup.',
  BUSY: 'The extension is still busy with earlier messages. Try again in a moment.',
  INVALID_REQUEST: 'The extension does not understand this request: {detail}.',
  FORBIDDEN_ORIGIN: 'This page may not use the extension.',
} as const satisfies Record<string, string>

export type ExtensionErrorCode = keyof typeof EXTENSION_TEXT

export interface ExtensionFailure {
  success: false
  error: string
  code: ExtensionErrorCode
}

/** The reply to a SendDmRequest: `success` only once the message was seen to stand in the conversation. */
export type SendDmReply = { success: true } | ExtensionFailure

/** The reply to an ExtensionStatusRequest. */
export type ExtensionStatusReply = { success: true; status: ExtensionStatus } | ExtensionFailure

export interface ExtensionStatus {
  version: string
  paused: boolean
  /** The part of X's page that was not found; null while all is well. */
  pageChanged: string | null
  /** Who was last seen signed in to X in this browser, without @; null where nobody was, undefined where X was not open yet. */
  signedInAs: string | null | undefined
}

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
