import { createHash } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { beforeAll, expect, it } from 'vitest'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { isSplitOff, variantOf } from '../../../core/sequences/variants.ts'

const campaignId = 'c0ffee00-0000-4000-8000-000000000001'
const sharesOf = (weights: number[]) => weights.map((share, index) => ({ id: `${index}`, share }))

let app: TestApp
beforeAll(async () => {
  app = await openApp()
})

/** The variants that leads 1, 2, … get at a step. */
async function choose(weights: number[], people: number, step = 'step'): Promise<number[]> {
  const to = { campaignId: sql`${campaignId}::uuid`, stepId: sql`${step}::text`, leadId: sql`lead` }
  const { rows } = await app.db.execute<{ variant: string }>(sql`
    select ${variantOf(to, sharesOf(weights))} as variant from generate_series(1, ${people}::int) lead order by lead`)
  return rows.map(({ variant }) => Number(variant))
}

it.each([
  ['one variant', [1]],
  ['an even split', [1, 1]],
  ['an uneven split', [0.07, 0.31, 0, 0.62]],
])('chooses by the SHA-256 of campaign, step and lead, with %s', async (_, weights) => {
  const expected = Array.from({ length: 2_000 }, (_, index) => {
    const hash = createHash('sha256')
      .update(`${campaignId} step ${index + 1}`)
      .digest('hex')
    let rest = Number.parseInt(hash.slice(0, 13), 16) / 16 ** 13
    return weights.findIndex((share) => {
      rest -= share / weights.reduce((sum, weight) => sum + weight)
      return rest < 0
    })
  })
  expect(await choose(weights, 2_000)).toEqual(expected)
})

it.each([
  ['even', [1, 1]],
  ['uneven', [90, 10]],
  ['five', [1, 2, 3, 4, 5]],
  ['one that is off', [0, 1, 1]],
])('splits people by the shares: %s', async (_, weights) => {
  const chosen = await choose(weights, 20_000)
  const people = weights.map((weight, index) => ({
    people: chosen.filter((variant) => variant === index).length,
    weight,
  }))
  const active = people.filter(({ weight }) => weight > 0)
  expect(active.reduce((sum, row) => sum + row.people, 0)).toBe(20_000)
  expect(isSplitOff(active)).toBe(false)
})

it('chooses the same variants by other shares in the same proportion', async () => {
  expect(await choose([2, 2], 100)).toEqual(await choose([1, 1], 100))
})

it('chooses independently at each step', async () => {
  const [first, second] = [await choose([1, 1], 4_000, 'first'), await choose([1, 1], 4_000, 'second')]
  expect(first.filter((variant, index) => variant === second[index]).length / 4_000).toBeCloseTo(0.5, 1)
})

it('refuses a step without an active variant', async () => {
  await expect(choose([], 1)).rejects.toThrow('active variant')
})
