import { sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { openApp } from '../../../../test/open-app.ts'
import { UNIT_MS } from '../../../core/sequences/delays.ts'
import { continuesWith } from '../../../core/sequences/versions.ts'
import { dms as messages } from '../../../core/tables/messages.ts'
import { enrollments, followingStep, type VersionStep } from '../../../core/tables/sequences.ts'

const ids = Array.from({ length: 7 }, (_, index) => `00000000-0000-4000-8000-00000000000${index}`)
const delay = fc.option(
  fc.record({
    amount: fc.nat({ max: 90 }),
    unit: fc.constantFrom('minutes' as const, 'hours' as const, 'days' as const),
  }),
)
const steps = fc
  .shuffledSubarray(ids)
  .chain((chosen) => fc.tuple(...chosen.map((id) => delay.map((its) => ({ id, delay: its }) as VersionStep))))

// The rule exists twice: recording an outcome needs it in one SQL statement, the due job in JavaScript.
it('finds the same next step in PostgreSQL and in JavaScript', async () => {
  const app = await openApp()
  const message = fc.record({ id: fc.constantFrom(...ids), number: fc.integer({ min: 1, max: 8 }) })
  await fc.assert(
    fc.asyncProperty(steps, message, fc.subarray(ids), async (version, last, sent) => {
      const dms = [
        { id: 0, step_id: last.id, step_number: last.number },
        ...sent.map((step_id, index) => ({ id: index + 1, step_id, step_number: 1, sent_at: '2026-11-20' })),
      ]
      // These queries hide the tables of the same names.
      const { rows } = await app.db.execute<{ number: number; delayMs: number | null }>(sql`
        with sequence_versions(workspace_id, campaign_id, version, steps) as (select 1, 1, 1, ${JSON.stringify(version)}::jsonb),
          dms as (
            select *, 1 as lead_id, 1 as enrollment_id from jsonb_to_recordset(${JSON.stringify(dms)}::jsonb)
              as message(id int, step_id uuid, step_number int, sent_at timestamptz)
          ),
          e(workspace_id, campaign_id, version, id) as (select 1, 1, 1, 1),
          d as (select * from dms where id = 0)
        select next.number, (extract(epoch from next.delay) * 1000)::float as "delayMs"
        from e cross join d cross join lateral (${followingStep(alias(enrollments, 'e'), alias(messages, 'd'))}) next`)
      const next = continuesWith(version, { lastSent: last, lastSkipped: null, sentStepIds: new Set(sent) })
      const expected = next && {
        number: version.indexOf(next) + 1,
        delayMs: next.delay && next.delay.amount * UNIT_MS[next.delay.unit],
      }
      expect(rows).toEqual(expected ? [expected] : [])
    }),
    { numRuns: 500 },
  )
})
