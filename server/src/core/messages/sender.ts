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
  /** Sends an answer from the inbox: of our own limits only DAILY_DM_CAP applies, and no limit of campaigns. */
  isAnswer: boolean
  /** The interval between two messages applies to this sender. */
  hasInterval: boolean
  /** Its claims may become attempts. The simulated queue never sends. */
  maySend: boolean
  /** Fails messages that must not be sent as soon as it claims them. Other senders do so right before sending. */
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
 * Holder of messages that the simulated queue claims. It never sends them, so released ones are
 * queued again.
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
 * A read counts for READ_COUNTS_SECONDS. A worker's claim leaves this much less, so the hand-over
 * is still in time.
 */
export const CLAIM_KNOWN_SECONDS = READ_COUNTS_SECONDS - 5
/** An extension takes longer from its claim to pressing Send. */
const EXTENSION_KNOWN_SECONDS = 30

/** How recently a read must have begun for a sender to claim a follow-up, in seconds. */
export const knownSecondsOf = ({ byApi }: SenderKind) => (byApi ? CLAIM_KNOWN_SECONDS : EXTENSION_KNOWN_SECONDS)

/** How soon workers look again at follow-ups whose account is being read. The read also wakes them. */
export const BLIND_SECONDS = 15
const EXTENSION_BLIND_SECONDS = 3
/** How soon a sender looks again at follow-ups whose account is being read, in seconds. */
export const blindSecondsOf = ({ byApi }: SenderKind) => (byApi ? BLIND_SECONDS : EXTENSION_BLIND_SECONDS)

/** How soon a follow-up is looked at again if its conversation in X Chat has to be read first. */
export const CHAT_UNREAD_SECONDS = 15
