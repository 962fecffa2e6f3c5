import { formatDate, formatMoney } from '@x-automated/contract/format'
import type { Provider } from '@x-automated/contract/outreach/writer'
import { errorCode, errorText } from '../../../api'
import { Badge } from '../../../ui/badge'

/** The label of drafts that were not written by a model. */
export function BuiltIn() {
  return (
    <span>
      <Badge>Built-in suggestions</Badge>
    </span>
  )
}

/** Why nothing was written, and what to do. @param overBudget the text if the budget is too small */
export function writerProblem(error: unknown, overBudget = "This month's AI budget is used up."): string {
  switch (errorCode(error)) {
    case 'BUDGET_EXCEEDED': {
      const { data } = error as {
        data?: { resetsAt?: string; limitCents?: number | null; limitTokens?: number | null }
      }
      if (data?.limitCents === 0 || data?.limitTokens === 0)
        return 'There is no budget for AI. Upgrade, or connect a model with a budget in Settings.'
      const next = data?.resetsAt && formatDate(data.resetsAt, { month: 'short', day: 'numeric' })
      return next ? `${overBudget} It resets on ${next}.` : overBudget
    }
    case 'MODEL_NOT_CONFIGURED':
      return 'No model is connected. An admin can connect one in Settings.'
    default:
      return errorText(error, 'The writer did not respond. Please try again.')
  }
}

/** Instructions to rewrite a text. */
export const REWRITES = [
  { label: 'Shorter', instruction: 'shorter' },
  { label: 'Friendlier', instruction: 'friendlier' },
  { label: 'More direct', instruction: 'more direct' },
] as const

/** Formats a cost, which is often below a cent. */
export function costText(cents: number): string {
  return cents > 0 && cents < 0.5 ? `less than ${formatMoney(1)}` : formatMoney(cents)
}

/** Kinds of providers. */
export const KINDS: Record<Provider['kind'], string> = {
  openai_compatible: 'OpenAI-compatible',
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  google: 'Google',
}
