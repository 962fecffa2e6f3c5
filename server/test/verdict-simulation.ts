import { seededRandom } from '../src/core/sequences/variants.ts'
import {
  addBlocks,
  type Block,
  evidenceNeeded,
  NO_EVIDENCE,
  type Outcome,
  type Pair,
  verdictOf,
} from '../src/core/sequences/verdict.ts'

/** Blocks between two checks of the verdict. A verdict is final, so a winner is never missed. */
const LOOK = 20

/**
 * Simulates a test whose variants have these true rates. @returns who won, and after how many
 * people of each variant; null if nobody did within `blocks`
 */
export function simulateWinner(
  rates: readonly number[],
  blocks: number,
  random: () => number,
): { variant: number; people: number } | null {
  const needed = evidenceNeeded(rates.length)
  let pairs: Pair[] = rates.flatMap((_, a) =>
    rates.slice(a + 1).map((_rate, i) => ({ ...NO_PAIR, a: `${a}`, b: `${a + 1 + i}` })),
  )
  for (let people = LOOK; people <= blocks; people += LOOK) {
    const outcomes = rates.map((rate) => Array.from({ length: LOOK }, (): Outcome => (random() < rate ? 1 : 0)))
    pairs = pairs.map((pair) => {
      const [a, b] = [outcomes[Number(pair.a)] ?? [], outcomes[Number(pair.b)] ?? []]
      const added = a.map((outcome, i): Block => [outcome, b[i] ?? 0])
      return { ...pair, positive: addBlocks(pair.positive, added, needed) }
    })
    const verdict = verdictOf({ variantIds: rates.map((_, i) => `${i}`), pairs, isOver: true })
    if (verdict?.variantId) return { variant: Number(verdict.variantId), people }
  }
  return null
}

const NO_PAIR = { positive: NO_EVIDENCE, optOuts: NO_EVIDENCE, blocksPerDay: 1, blocksLeft: 0 }

/** Returns the share of tests that end with a winner although another variant is as good or better. */
export function falseWinners(run: { rates: readonly number[]; blocks: number; tests: number; seed: string }): number {
  const { rates, blocks, tests, seed } = run
  const random = seededRandom(seed)
  let wrong = 0
  for (let test = 0; test < tests; test += 1) {
    const winner = simulateWinner(rates, blocks, random)?.variant
    if (winner === undefined) continue
    const rate = rates[winner] ?? 0
    if (rates.some((other, i) => i !== winner && other >= rate)) wrong += 1
  }
  return wrong / tests
}

/** Simulated tests per cell of the power table. */
const POWER_TESTS = 300
const POWER_PEOPLE_MAX = 20_000

/**
 * Returns the Markdown table in docs/ab-tests.md: how many people of each variant it takes until half,
 * and until four fifths of the tests name the better variant. The other variants are equal.
 */
export function powerTable(): string {
  const rows = [0.02, 0.05, 0.1, 0.2].flatMap((base) =>
    [1.5, 2, 3].map((times) => {
      const percent = (rate: number) => `${Number((rate * 100).toFixed(1))}%`
      const people = [2, 3].flatMap((variants) => {
        const rates = [base * times, ...Array.from({ length: variants - 1 }, () => base)]
        return peopleNeeded(rates, [0.5, 0.8]).map((count) => count.toLocaleString('en-US'))
      })
      return [percent(base), percent(base * times), ...people]
    }),
  )
  const head = ['Others', 'Better one', 'Two variants: half', 'four of five', 'Three variants: half', 'four of five']
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---:')), ...rows.map(line)].join('\n')
}

/** Returns the number of people per variant after which these shares of the tests have named the first variant. */
function peopleNeeded(rates: readonly number[], shares: readonly number[]): number[] {
  const random = seededRandom(`power ${rates}`)
  const people = Array.from({ length: POWER_TESTS }, () => {
    const winner = simulateWinner(rates, POWER_PEOPLE_MAX, random)
    return winner?.variant === 0 ? winner.people : Number.POSITIVE_INFINITY
  }).sort((a, b) => a - b)
  return shares.map((share) => people[Math.ceil(share * POWER_TESTS) - 1] ?? Number.POSITIVE_INFINITY)
}
