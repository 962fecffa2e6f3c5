import { formatCount, formatRate } from '../format.ts'

/** The result of a step's test. */
export interface TestResult {
  status: 'collecting' | 'winner' | 'mixed' | 'no_difference'
  /** The winner; null if there is none. */
  variantId: string | null
  /** Days until a variant wins at the current rates; null if the campaign has too few people. */
  estimatedDays: number | null
}

/** The figures of a variant, counted in people. */
export interface VariantFigures {
  id: string
  name: string
  sent: number
  positive: number
  optedOut: number
}

export const SPLIT_OFF_TEXT = 'The split is not as planned'
export const ADAPTIVE_TEXT = 'optimising, not a test'

/** Returns the verdict as text, for screens and notifications. @param variants the variants in the test */
export function verdictText({ status, variantId, estimatedDays }: TestResult, variants: VariantFigures[]): string {
  const winner = variants.find(({ id }) => id === variantId)
  const others = variants.filter(({ id }) => id !== variantId)
  if (winner && (status === 'winner' || status === 'mixed')) {
    const positive = compared(winner, others, 'positive', Math.max)
    const more = `${winner.name} gets more positive replies (${positive})`
    if (status === 'winner') return `${more}. You can trust this.`
    return `${more}, and more people opt out (${compared(winner, others, 'optedOut', Math.min)}). Your decision.`
  }
  if (status === 'no_difference') {
    const people = variants.reduce((sum, { sent }) => sum + sent, 0)
    return `No difference you could notice among ${formatCount(people, 'person', 'people')}.`
  }
  if (estimatedDays === null) {
    return 'Not enough people in this campaign to tell them apart unless one is about twice as good.'
  }
  return `Not enough data yet. At this pace about ${formatCount(estimatedDays, 'more day')}.`
}

/** Formats "7.9% against 3.1%": the winner's rate, and the rate that `nearest` picks from the others. */
function compared(
  winner: VariantFigures,
  others: VariantFigures[],
  figure: 'positive' | 'optedOut',
  nearest: (...rates: number[]) => number,
): string {
  const rateOf = (variant: VariantFigures) => (variant.sent > 0 ? variant[figure] / variant.sent : 0)
  return `${formatRate(rateOf(winner))} against ${formatRate(nearest(...others.map(rateOf)))}`
}
