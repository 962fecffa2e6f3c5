import type { WorkingHours } from '../messages/limits.ts'
import type { VersionStep } from '../tables/sequences.ts'
import { delayedFrom, reengagedFrom, UNIT_MS } from './delays.ts'
import { continuesWith, type StepReference } from './versions.ts'

/** If reads are not reported live, a condition about reading waits this long after its step was due. */
export const READING_MS = 7 * UNIT_MS.days

/** An enrollment whose `next_at` has passed. */
export interface DueEnrollment {
  nextStepNumber: number | null
  lastSent: StepReference | null
  lastSentAt: Date | null
  lastSkipped: StepReference | null
  skippedAt: Date | null
  sentStepIds: readonly string[]
  /** When the pause ends; null if the enrollment is active. */
  pausedUntil: Date | null
  /** The person asked for a message later, so the enrollment continues with re-engagement. */
  isLater: boolean
  /** The person has read the last message. */
  wasRead: boolean
}

/** The connected account that sends an enrollment's messages. */
export interface DueAccount {
  hours: WorkingHours
  /** X reports reads right now. */
  isLive: boolean
}

export type Decision =
  | { kind: 'wait'; number: number; until: Date }
  | { kind: 'queue'; number: number; step: VersionStep; dueAt: Date }
  | { kind: 'skip'; skipped: StepReference; number: number; nextAt: Date }
  /** `skipped`: the last step, if it was skipped because its condition was not met. */
  | { kind: 'finish'; skipped: StepReference | null }

/** Decides what the due job does with an enrollment. @param steps the steps of the enrollment's version */
export function decide(
  enrollment: DueEnrollment,
  steps: readonly VersionStep[],
  account: DueAccount,
  now: Date,
): Decision {
  const { isLater, pausedUntil } = enrollment
  const number = isLater ? steps.findIndex(({ kind }) => kind === 'reengagement') + 1 : (enrollment.nextStepNumber ?? 0)
  const step = steps[number - 1]
  if (!step) return { kind: 'finish', skipped: null }
  const delayEnds = isLater ? null : dueFrom(enrollment, step, account.hours)
  const dueAt = latest(delayEnds, pausedUntil) ?? now
  if (dueAt > now) return { kind: 'wait', number, until: dueAt }
  const isMet = meets(step, enrollment, account)
  if (isMet === null) {
    const giveUpAt = new Date(dueAt.getTime() + READING_MS)
    if (giveUpAt > now) return { kind: 'wait', number, until: giveUpAt }
  }
  if (isMet !== false) return { kind: 'queue', number, step, dueAt }
  const skipped = { id: step.id, number }
  const sentStepIds = new Set(enrollment.sentStepIds)
  const next = continuesWith(steps, { lastSent: enrollment.lastSent, lastSkipped: skipped, sentStepIds })
  if (!next) return { kind: 'finish', skipped }
  const nextAt = dueFrom({ ...enrollment, skippedAt: now }, next, account.hours) ?? now
  return { kind: 'skip', skipped, number: steps.indexOf(next) + 1, nextAt }
}

/** When a step's delay ends; null if it has none. Re-engagement always counts from the last message. */
function dueFrom(
  { lastSentAt, skippedAt }: Pick<DueEnrollment, 'lastSentAt' | 'skippedAt'>,
  { kind, delay }: VersionStep,
  hours: WorkingHours,
): Date | null {
  if (!delay || !lastSentAt) return null
  if (kind === 'reengagement') return reengagedFrom(lastSentAt, delay.amount, hours.timeZone)
  return delayedFrom(latest(lastSentAt, skippedAt) ?? lastSentAt, delay, hours)
}

function latest(a: Date | null, b: Date | null): Date | null {
  return a && b ? (a > b ? a : b) : (a ?? b)
}

/** Whether a step's condition is met; null: unknown. */
function meets({ condition }: VersionStep, { wasRead }: DueEnrollment, { isLive }: DueAccount): boolean | null {
  if (condition === 'read' && wasRead) return true
  if (condition === 'not_read' && wasRead) return false
  if (condition !== 'read' && condition !== 'not_read') return true
  return isLive ? condition === 'not_read' : null
}
