// What other domains use of sending. Each step has its own file.

export { claimSimulated, type SimulatedClaim } from './claim.ts'
export { campaignGate, endTurn, SENDING_CHANNEL, SIMULATED_HOLDER, wakeAccount } from './limits.ts'
export {
  dmAnswer,
  listDms,
  lockQueuedLeads,
  queueDirect,
  queueList,
  readTemplate,
  renderedPart,
  rerenderQueued,
} from './queue.ts'
export { recordOutcome } from './record.ts'
export { findSentMessage } from './rules.ts'
export { expireLeases, finishReading, recordMessagesFromX } from './settle.ts'
export { blockNewClaims, release, releaseLeads, skipMessage, stopMessages, waitForInFlight } from './stop.ts'
export { countInFlight } from './tables.ts'
