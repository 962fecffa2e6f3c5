import { READ_COUNTS_SECONDS } from '../tables/replies.ts'

/** How a sender differs from the others. They all claim in the same way (claim.ts). */
export interface SenderKind {
  /** It sends through X's API: only that channel, and X's own limits apply. */
  byApi: boolean
  /** A person waits for it: the sending window does not apply, and the schedule is not brought forward. */
  byHand: boolean
  /** It answers in the inbox: of our own limits only DAILY_DM_CAP applies, and of campaigns none. */
  isAnswer: boolean
  /** The interval between two messages applies. */
  hasInterval: boolean
  /** A claim may become an attempt. The simulated queue never sends. */
  maySend: boolean
  /** Fails messages that must not be sent when it claims. Others do so right before they send. */
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
/** The same, by the name that it chose. */
export const extensionOf = (name: string): Sender => ({ ...EXTENSION, holder: `extension:${name}` })
/** A message that its writer waits for. */
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

/** A worker's claim leaves this much of the time for which a read counts to the hand-over. */
export const CLAIM_KNOWN_SECONDS = READ_COUNTS_SECONDS - 5
/** An extension takes longer from its claim to pressing Send. */
const EXTENSION_KNOWN_SECONDS = 30

/** How recently a read must have begun for a sender to claim a follow-up, in seconds. */
export const knownSecondsOf = ({ byApi }: SenderKind) => (byApi ? CLAIM_KNOWN_SECONDS : EXTENSION_KNOWN_SECONDS)

/** How soon follow-ups are looked at again while their account is being read; the read itself wakes workers. */
export const BLIND_SECONDS = 15
const EXTENSION_BLIND_SECONDS = 3
/** For how many seconds a read of its conversations lets an account send follow-ups. */
export const blindSecondsOf = ({ byApi }: SenderKind) => (byApi ? BLIND_SECONDS : EXTENSION_BLIND_SECONDS)

/** How soon a follow-up is looked at again whose person's conversation in X Chat has to be read. */
export const CHAT_UNREAD_SECONDS = 15
