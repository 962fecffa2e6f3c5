import { formatCount } from '@x-automated/contract/format'
import type { Enrollment, Outcome } from '@x-automated/contract/outreach/sequences'
import { type EnrollmentReason, skipReasonOf, skipText } from '@x-automated/contract/reason'
import { HOUR_MS } from '@x-automated/contract/time'
import { dayText } from '../campaigns/campaign-progress'

/** Names of enrollment states, for the filter. */
export const STATE_NAMES: Record<Enrollment['state'], string> = {
  active: 'Active',
  paused: 'Paused',
  replied: 'Replied',
  opted_out: 'Opted out',
  finished: 'Finished',
  failed: 'Failed',
  stopped: 'Stopped',
}

/** Names of outcomes, as the start of a title. */
export const OUTCOME_NAMES: Record<Outcome, string> = {
  sent: 'Sent',
  read: 'Read',
  replied: 'Replied',
  positive: 'Positive replies',
  optedOut: 'Opted out',
  failed: 'Failed',
  skipped: 'Skipped',
}

/** A person's name. @param lead null if the lead was deleted */
export function personName(lead: { name: string | null; twitterHandle: string } | null): string {
  return lead ? lead.name || `@${lead.twitterHandle}` : 'Deleted lead'
}

/** A person's position in a campaign: 'Next message Tue, Dec 2'. */
export function positionText({ state, stepNumber, nextAt, pausedUntil, reason }: Enrollment, now: number): string {
  switch (state) {
    case 'active':
      // After a partial launch, people who are messaged later have a date for their first message.
      if (stepNumber === 1 && nextAt && Date.parse(nextAt) - now > HOUR_MS)
        return `First message ${dayText(nextAt, now)}`
      if (stepNumber === 1) return 'Waiting for the first message'
      return nextAt ? `Next message ${dayText(nextAt, now)}` : 'Active'
    case 'paused':
      return [
        pausedUntil ? `Paused until ${dayText(pausedUntil, now)}` : 'Paused',
        reason && reason.code !== 'person' && reasonText(reason),
      ]
        .filter(Boolean)
        .join(': ')
    case 'finished':
      return 'Reached the end'
    case 'failed':
      return 'The last message failed'
    case 'replied':
      return reason ? reasonText(reason, true) : 'Replied'
    case 'opted_out':
      return 'Opted out'
    case 'stopped':
      return reason ? reasonText(reason, true) : 'Stopped'
  }
}

/** Why a person was paused or stopped. @param isSentence whether to start with a capital letter */
function reasonText({ code, params }: EnrollmentReason, isSentence = false): string {
  const text = code === 'skipped' ? skippedText({ params }) : REASONS[code]
  return isSentence ? text.charAt(0).toUpperCase() + text.slice(1) : text
}

const REASONS: Record<Exclude<EnrollmentReason['code'], 'skipped'>, string> = {
  reply: 'replied',
  opt_out: 'opted out',
  later: 'asked to hear from you later',
  auto_reply: 'sent an automatic reply',
  written_by_hand: 'you messaged them yourself',
  person: 'stopped by someone in your workspace',
  outcome_unknown: 'unknown whether the last message arrived',
  archived: 'the campaign was archived',
  encrypted: 'answered in X Chat, where messages are encrypted',
}

function skippedText(stopped: Pick<EnrollmentReason, 'params'>): string {
  const reason = skipReasonOf(stopped)
  if (reason.code === 'queued_elsewhere' && reason.params.how === 'campaign')
    return `in the campaign “${reason.params.campaign}”`
  const text = skipText(reason)
  return text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, '')
}

/** 'At least 10,000 people' if counting stopped at its maximum. */
export function peopleText(total: number, max: number): string {
  return total >= max ? `At least ${formatCount(max, 'person', 'people')}` : formatCount(total, 'person', 'people')
}
