import { READ_COUNTS_SECONDS } from '../tables/replies.ts'

/** How a sender differs from the others. They all claim in the same way (claim.ts). */
export interface SenderKind {
  /** Sends through X's API: claims only from API campaigns, and X's own limits apply. */
  byApi: boolean
  /**
   * A person waits for the message: the sending window does not apply, and the account's schedule
   * never moves earlier.
   */
  byHand: boolean
  /** Sends an answer from the inbox. Of our own limits, only DAILY_DM_CAP applies; paused campaigns do not matter. */
  isAnswer: boolean
  /** The interval between two messages applies to this sender. */
  hasInterval: boolean
  /** The sender's claims count as attempts. The simulated queue never sends. */
  maySend: boolean
  /** On claiming, fails messages that must not be sent. Other senders do so right before sending. */
  skips: boolean
}

export interface Sender extends SenderKind {
  /** As in `dms.holder`. */
  holder: string
}

const UNATTENDED = { byHand: false, isAnswer: false, hasInterval: true, maySend: true }
/** A sending process. */
export const workerOf = (id: number): Sender => ({ ...UNATTENDED, holder: `worker:${id}`, byApi: true, skips: false })
/** A browser extension. */
export const EXTENSION: SenderKind = { ...UNATTENDED, byApi: false, skips: true }
/** A browser extension, with the name that it chose. */
export const extensionOf = (name: string): Sender => ({ ...EXTENSION, holder: `extension:${name}` })
/** A sender of one message, whose author waits for it. */
export const manualSender = (holder: string, isAnswer: boolean): Sender => ({
  holder,
  byApi: true,
  byHand: true,
  isAnswer,
  hasInterval: false,
  maySend: true,
  skips: false,
})

/**
 * Holder of messages that the simulated queue has claimed. It sends nothing, so messages whose
 * leases expire are queued again.
 */
export const SIMULATED_HOLDER = 'simulated'
export const SIMULATION: Sender = {
  holder: SIMULATED_HOLDER,
  byApi: false,
  byHand: false,
  isAnswer: false,
  hasInterval: false,
  maySend: false,
  skips: true,
}

// Reads of X before follow-ups

/**
 * The maximum age of a read at a worker's claim, in seconds. It is less than READ_COUNTS_SECONDS,
 * so that the read still counts at the hand-over.
 */
export const CLAIM_KNOWN_SECONDS = READ_COUNTS_SECONDS - 5
/** The maximum age of a read at an extension's claim: it takes longer from the claim to pressing Send. */
const EXTENSION_KNOWN_SECONDS = 30

/** How recently a read must have begun for a sender to claim a follow-up, in seconds. */
export const knownSecondsOf = ({ byApi }: SenderKind) => (byApi ? CLAIM_KNOWN_SECONDS : EXTENSION_KNOWN_SECONDS)

/** How soon workers check an account's follow-ups again while the account is being read. The read also wakes it. */
export const BLIND_SECONDS = 15
const EXTENSION_BLIND_SECONDS = 3
/** How soon a sender checks follow-ups again while their account is being read, in seconds. */
export const blindSecondsOf = ({ byApi }: SenderKind) => (byApi ? BLIND_SECONDS : EXTENSION_BLIND_SECONDS)

/** How soon a follow-up is checked again if its conversation in X Chat has to be read first. */
export const CHAT_UNREAD_SECONDS = 15
