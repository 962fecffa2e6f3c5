import type { PlanLevel } from '@x-automated/contract/platform/plans'

/** The price of a model, in cents per million tokens. */
export interface Price {
  input: number
  output: number
}

/** Tokens, and their price in millionths of a cent; null: the price is unknown. */
export interface Cost {
  tokens: number
  microcents: number | null
}

/** The prices of known models, in cents per million tokens: [input, output]. */
const PRICES = new Map<string, [number, number]>(
  Object.entries({
    'gpt-4o-mini': [15, 60],
    'gpt-4o': [250, 1_000],
    'gpt-4.1-nano': [10, 40],
    'gpt-4.1-mini': [40, 160],
    'gpt-4.1': [200, 800],
    'gpt-5-nano': [5, 40],
    'gpt-5-mini': [25, 200],
    'gpt-5': [125, 1_000],
    'claude-3-5-haiku': [80, 400],
    'claude-haiku-4-5': [100, 500],
    'claude-sonnet-4': [300, 1_500],
    'claude-sonnet-4-5': [300, 1_500],
    'claude-opus-4-1': [1_500, 7_500],
    'claude-opus-4-5': [500, 2_500],
    'gemini-2.0-flash': [10, 40],
    'gemini-2.5-flash-lite': [10, 40],
    'gemini-2.5-flash': [30, 250],
    'gemini-2.5-pro': [125, 1_000],
  }),
)

/** The price of a known model, even if its name has a version date; null: unknown. */
export function priceOf(model: string): Price | null {
  const name = model.toLowerCase().replace(/-(\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, '')
  const [input, output] = PRICES.get(name) ?? []
  return input === undefined || output === undefined ? null : { input, output }
}

/** The cost of these tokens. */
export function costOf(price: Price | null, input: number, output: number): Cost {
  return {
    tokens: input + output,
    microcents: price && Math.ceil(input * price.input + output * price.output),
  }
}

/** The maximum number of tokens that a text can have. Real texts have about half as many. */
export function tokensAtMost(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 2)
}

/** The operator's monthly allowance for each plan, in cents. */
type Allowances = Record<PlanLevel, number>

/** The limits of a month; null: no limit. */
export interface BudgetLimits {
  cents: number | null
  tokens: number | null
}

/** How many tokens a cent of the allowance buys if the model's price is unknown. */
const TOKENS_PER_CENT = 10_000

/**
 * A workspace's budget on the operator's key. The Viral Sensation reward doubles it, and
 * gives Free at least what Pro has.
 */
export function allowanceOf(
  { plan, isViral, price }: { plan: PlanLevel; isViral: boolean; price: Price | null },
  allowances: Allowances,
): BudgetLimits {
  const doubled = Math.max(allowances[plan] * 2, plan === 'free' ? allowances.pro : 0)
  const cents = isViral ? doubled : allowances[plan]
  return price ? { cents, tokens: null } : { cents: null, tokens: cents * TOKENS_PER_CENT }
}

/** Converts millionths of a cent to cents, with four decimals. */
export function centsOf(microcents: number): number {
  return Math.round(microcents / 100) / 10_000
}
