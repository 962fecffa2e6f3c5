import { type Reason, refusalText, SkipReason } from '@x-automated/contract/reason'
import { LABEL_NAMES } from '@x-automated/contract/reply-labels'

export { LABEL_NAMES }

/** Why a person is paused, as a sentence, or null if there is no reason to show. */
export function pauseReasonText({ code }: Reason): string | null {
  return PAUSES[code] ?? null
}

const PAUSES: Partial<Record<Reason['code'], string>> = {
  later: 'They asked for a message later.',
  auto_reply: 'They sent an automatic reply.',
  person: 'Someone in your workspace paused them.',
  outcome_unknown: 'It is unknown whether the last message arrived.',
}

/** Why a step was skipped, as a sentence, or null if there is no code for it. */
export function skippedText(why: Reason): string | null {
  const reason = SkipReason.safeParse(why)
  return reason.success ? refusalText(reason.data) : null
}

/** 'Step 2, variant B'; null for variant A of the first step, which may be the only message. */
export function stepText(stepNumber: number | null, variant: { name: string } | null): string | null {
  if (stepNumber === null || (stepNumber === 1 && (variant?.name ?? 'A') === 'A')) return null
  return variant ? `Step ${stepNumber}, variant ${variant.name}` : `Step ${stepNumber}`
}

/** Shown instead of a message whose text is missing. */
export const missingText = ({ isEncrypted }: { isEncrypted: boolean }) =>
  isEncrypted ? 'Encrypted on X' : 'Text not stored'
