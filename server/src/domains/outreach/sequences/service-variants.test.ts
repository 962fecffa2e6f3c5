import { sql } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { openApp } from '../../../../test/open-app.ts'
import { chooseVariant, variantOf } from '../../../core/sequences/variants.ts'

it.each([
  ['one variant', [1]],
  ['an even split', [1, 1]],
  ['an uneven split', [0.07, 0.31, 0, 0.62]],
])('PostgreSQL chooses the variants that JavaScript chooses, with %s', async (_, weights) => {
  const app = await openApp()
  const shares = weights.map((share, i) => ({ id: `variant-${i}`, share }))
  const campaignId = 'c0ffee00-0000-4000-8000-000000000001'
  const { rows } = await app.db.execute<{ leadId: string; variant: string }>(sql`
    select lead_id as "leadId",
      ${variantOf({ campaignId: sql`${campaignId}::uuid`, stepId: sql`${'step'}::text`, leadId: sql`lead_id` }, shares)} as variant
    from (select gen_random_uuid() as lead_id from generate_series(1, 2000)) leads`)
  expect(rows).toHaveLength(2_000)
  for (const { leadId, variant } of rows) {
    expect(variant).toBe(chooseVariant({ campaignId, stepId: 'step', leadId }, shares))
  }
})
