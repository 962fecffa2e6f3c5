import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { isLongProof } from './proof-length.ts'
import { falseWinners, powerTable } from './verdict-simulation.ts'

const tests = isLongProof ? 10_000 : 300

describe('a test with a look after every block', () => {
  it.each([2, 3, 5])('names a false winner in at most one of twenty tests of %i variants', (variants) => {
    for (const rate of [0.02, 0.1, 0.5]) {
      const equal = Array.from({ length: variants }, () => rate)
      for (const rates of [equal, [rate / 2, ...equal.slice(1)], [rate * 0.9, ...equal.slice(1)]]) {
        expect(falseWinners({ rates, blocks: 1_000, tests, seed: `proof ${rates}` })).toBeLessThanOrEqual(0.05)
      }
    }
  })
})

it.runIf(isLongProof)('needs as many people as docs/ab-tests.md says', () => {
  const document = readFileSync(new URL('../../docs/ab-tests.md', import.meta.url), 'utf8')
  expect(document).toContain(powerTable())
})
