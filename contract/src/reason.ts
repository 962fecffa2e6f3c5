import { z } from 'zod'
import { formatDate, formatRelative } from './format.ts'

/** Why a message was skipped. A skipped message failed before it was tried. */
export const SKIP_CODES = [
  /** `reason`: one of SUPPRESSION_REASONS. */
  'suppressed',
  /** `how` is 'request' if X asks whether to accept the lead's message, else absent. */
  'replied',
  /**
   * `how` is 'campaign' (with its name in `campaign` and its id in `campaignId`), 'direct', 'earlier_lead' (the lead was
   * deleted and added again), 'x_user' (a deleted lead had the same X id) or 'backup' (after the
   * backup that was restored).
   */
  'contacted',
  /** `how` is 'campaign' (with its name in `campaign` and its id in `campaignId`) or 'direct'. */
  'queued_elsewhere',
  /** The user of the X account messaged the lead directly on X. */
  'written_by_hand',
  'no_basis',
  /** Another lead is the same person. */
  'duplicate',
  'lead_missing',
  /** The lead does not accept messages from the account. */
  'closed_inbox',
  /** The lead accepts messages only from X Premium accounts. */
  'premium_only',
  /** The lead's handle belongs to another X id. Parameters: `handle`, `xUserId`. */
  'identity',
  /** The step's condition was not met. */
  'condition',
  /** A member of the workspace stopped messages to the lead. */
  'person',
  /** The lead is invented, and the real X must not message it. */
  'sample',
  /** The text contains a variable that nothing fills, in `written`. */
  'placeholder',
] as const

/** Why an enrollment is paused or was stopped. */
const ENROLLMENT_CODES = [
  'reply',
  'opt_out',
  /** The lead asked for a message later. */
  'later',
  /** An automatic reply. */
  'auto_reply',
  'written_by_hand',
  /** A member of the workspace decided this. */
  'person',
  'outcome_unknown',
  /** `skip` is the code of the reason why the message was skipped. The other parameters are those of that reason. */
  'skipped',
  'archived',
  /** The lead's last message is encrypted in X Chat, so a person must answer there. */
  'encrypted',
] as const

/** Why a campaign was paused automatically. */
const PAUSE_CODES = [
  'x_locked',
  /** X refused `refused` of the last `of` messages or, without these parameters, several in a row. */
  'refusals',
  /** `optOuts` of the last `of` messages led to an opt-out. */
  'opt_outs',
  'x_disconnected',
  /** `isReadable`: whether X can show what was sent since `backedUpAt` (ISO 8601). */
  'restored',
  /** A message would be sent with a variable that nothing fills, in `written`. */
  'placeholder',
] as const

/** Why a queued message waits, apart from the reasons for which its campaign waits. */
const DM_WAIT_CODES = [
  /** Another campaign messaged the lead less than 24 hours ago, at `at` (ISO 8601). */
  'day_apart',
  /** It is unknown whether the lead has replied. */
  'detection',
  /** X did not show whether the lead can be messaged. The message is tried again when it is due. */
  'inbox_unclear',
  /** The message might have been sent, so we read its conversation on X. */
  'settling',
] as const

/** A reason: its code, and the parameters of its text. */
export const Reason = z.object({
  code: z.enum([...new Set([...SKIP_CODES, ...PAUSE_CODES, ...ENROLLMENT_CODES, ...DM_WAIT_CODES])]),
  params: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
})
export type Reason = z.output<typeof Reason>

export const SkipReason = Reason.extend({ code: z.enum(SKIP_CODES) })
export type SkipReason = z.output<typeof SkipReason>

export const DmWaitReason = Reason.extend({ code: z.enum(DM_WAIT_CODES) })
export type DmWaitReason = z.output<typeof DmWaitReason>

export const EnrollmentReason = Reason.extend({ code: z.enum(ENROLLMENT_CODES) })
export type EnrollmentReason = z.output<typeof EnrollmentReason>

export const PauseReason = Reason.extend({ code: z.enum(PAUSE_CODES) })
export type PauseReason = z.output<typeof PauseReason>

export const CONNECTION_LOST = 'X has ended this connection. Connect again.'

const LEAD_MISSING = 'Skipped: Lead data or Twitter handle missing during processing.'

/** Returns the `errorMessage` of a skipped message. */
export function skipText(reason: SkipReason): string {
  return reason.code === 'lead_missing' ? LEAD_MISSING : `Skipped: ${skipClause(reason)}`
}

/** Returns why a lead cannot be messaged, in full sentences. */
export function refusalText(reason: SkipReason): string {
  const clause = skipClause(reason)
  const sentence = clause.charAt(0).toUpperCase() + clause.slice(1)
  if (reason.code !== 'suppressed') return sentence
  return `${sentence} To message them, remove them from your suppression list first.`
}

function skipClause({ code, params }: SkipReason): string {
  switch (code) {
    case 'suppressed':
      return suppressedClause(params)
    case 'replied':
      return params.how === 'request'
        ? 'this person wrote to you. Accept their request on X.'
        : 'this person has replied.'
    case 'contacted':
      return contactedClause(params)
    case 'queued_elsewhere':
      return queuedClause(params)
    case 'written_by_hand':
      return 'you messaged this person on X yourself.'
    case 'no_basis':
      return 'this person has no contact basis. Set one on the leads page.'
    case 'duplicate':
      return 'this person is a duplicate of a lead who was already messaged.'
    case 'lead_missing':
      return 'lead data or Twitter handle missing.'
    case 'closed_inbox':
      return "this person doesn't accept messages from this account."
    case 'premium_only':
      return 'this person accepts messages from X Premium accounts only. Send from a Premium account to reach them.'
    case 'identity':
      return `@${params.handle} on X does not have the X user ID ${params.xUserId}. Import the lead again with the right handle and ID.`
    case 'condition':
      return 'the condition of this step was not met.'
    case 'person':
      return 'someone in your workspace stopped messages to this person.'
    case 'sample':
      return 'this lead is sample data. Sample leads are never messaged on X.'
    case 'placeholder':
      return `the message has “${params.written}” in it, which was not filled in. Write it again.`
  }
}

function suppressedClause({ reason }: Reason['params']): string {
  if (reason === 'opted_out' || reason === 'replied_stop') return 'this person has opted out.'
  return 'this person is on your suppression list.'
}

function contactedClause(params: Reason['params']): string {
  const contacted = 'this person was already messaged'
  switch (params.how) {
    case 'campaign':
    case 'direct':
      return `this person already got ${sourceOf(params)}.`
    case 'earlier_lead':
      return `${contacted}, before their lead was deleted and added again.`
    case 'backup':
      return `${contacted}, after the restored backup.`
    default:
      return `${contacted}.`
  }
}

function queuedClause({ how, campaign }: Reason['params']): string {
  if (how === 'campaign') return `this person is in the campaign “${campaign}”.`
  if (how === 'direct') return 'this person is already queued for a direct message.'
  return 'this person is already queued elsewhere.'
}

function sourceOf({ how, campaign }: Reason['params']): string {
  return how === 'campaign' ? `the campaign “${campaign}”` : 'a direct message'
}

/** The reason why an enrollment's message was skipped. */
export function skipReasonOf({ params: { skip, ...params } }: Pick<EnrollmentReason, 'params'>): SkipReason {
  return { code: skip as SkipReason['code'], params }
}

/** Returns why a message waits, such as "Wrote to this person 3 hours ago"; null if it does not wait. */
export function dmWaitText({ code, params }: SkipReason | DmWaitReason, now: Date): string | null {
  if (code === 'detection') return 'Waits until replies are checked'
  if (code === 'inbox_unclear') return "Tried again later: X didn't show whether they can be messaged"
  if (code === 'settling') return 'Checking on X whether it arrived'
  if (code !== 'day_apart') return null
  const hours = Math.round((now.getTime() - new Date(String(params.at)).getTime()) / 3_600_000)
  return `Wrote to this person ${hours < 1 ? 'less than an hour ago' : formatRelative(-hours, 'hour')}`
}

/** Returns a campaign's `pauseReason`. @param xMessage X's own explanation, which replaces ours; null if X gave none */
export function pauseText({ code, params }: PauseReason, xMessage: string | null): string {
  if (xMessage !== null) return xMessage
  switch (code) {
    case 'x_locked':
      return 'X has locked this account.'
    case 'refusals':
      return params.of
        ? `X rejected ${params.refused} of the last ${params.of} messages. Check the message and the list, then resume.`
        : 'X rejected several messages in a row.'
    case 'opt_outs':
      return `${params.optOuts} of the last ${params.of} people you messaged opted out. Check the message and the list, then resume.`
    case 'x_disconnected':
      return 'This X account is disconnected. Connect it again, then resume.'
    case 'restored':
      return restoredText(params)
    case 'placeholder':
      return `A message would be sent with “${params.written}” in it. Check your messages, then resume.`
  }
}

function restoredText({ backedUpAt, isReadable }: Reason['params']): string {
  const moment = formatDate(String(backedUpAt), { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })
  const restored = `Restored from the backup of ${moment} UTC.`
  return isReadable
    ? `${restored} X-Automated first reads from X what was sent since, so nobody gets a message twice. Check this campaign, then resume it.`
    : `${restored} No connected X account can show what was sent since. Check the conversation of each failed message before you queue it again.`
}
