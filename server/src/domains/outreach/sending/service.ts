// What others use of sending. Each step has its own file.

export {
  type Claimed,
  claimAnswer,
  claimDue,
  claimSimulated,
  releaseLostClaims,
  type SimulatedClaim,
} from './claim.ts'
export {
  campaignLock,
  endTurn,
  nextDueInMs,
  resetSchedules,
  SENDING_CHANNEL,
  SIMULATED_HOLDER,
  wakeAccount,
  wakeCampaign,
} from './limits.ts'
export {
  DUE_NOW,
  dmAnswer,
  type LaunchOptions,
  listDms,
  lockEnrollmentsOfCampaign,
  lockEnrollmentsOfLead,
  lockEnrollmentsOfLeads,
  lockLeadAndCampaigns,
  lockLeads,
  lockQueuedLeads,
  lockQueueing,
  type QueuedStep,
  queueChosen,
  queueDirect,
  queueList,
  readOpenersAgain,
  readTemplate,
  reasonToSkip,
  refund,
  renderedMessage,
  requireQueueable,
  rerender,
  rerenderRemoved,
  spend,
} from './queue.ts'
export { type Done, record, recordOutcome, type Verdict } from './record.ts'
export { CLOCK_SKEW_MS, findSentMessage } from './rules.ts'
export { type NowContext, send, sendByHand, TIMING, type Timing } from './send.ts'
export { expireLeases, finishReading, recordMessagesFromX, settle, takeOver } from './settle.ts'
export {
  blockNewClaims,
  checkOptOuts,
  completeIfDone,
  deleteUnclaimed,
  endAnswered,
  endHolds,
  endRelabelled,
  hasClosedInboxes,
  pauseForReengagement,
  release,
  releaseLeads,
  requeueRestored,
  setDue,
  skipMessage,
  stopMessages,
  undoReengagement,
  unqueue,
  waitForInFlight,
} from './stop.ts'
export { countInFlight } from './tables.ts'
