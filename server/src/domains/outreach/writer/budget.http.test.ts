import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { makePerson } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { reserve, settle, usedOf } from './budget.ts'
import { allowanceOf, costOf, priceOf } from './prices.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp()
})

it('never passes its limit over three processes, and counts what was used', async () => {
  const { workspaceId, id: userId } = await makePerson(app)
  const servers = [
    app.services,
    ...(await Promise.all([app.startAnother(), app.startAnother()])).map(({ services }) => services),
  ]
  const by = { workspaceId, userId, payer: 'workspace' as const }
  const limits = { cents: null, tokens: 10_000 }
  const calls = await Promise.all(
    Array.from({ length: 150 }, (_, index) =>
      reserve(servers[index % 3]!.database.db, by, limits, { tokens: 100, microcents: 5 }),
    ),
  )
  const made = calls.filter((reservation) => reservation !== null)
  expect(made).toHaveLength(100)
  expect(await usedOf(app.db, by)).toMatchObject({ tokens: 10_000, microcents: 500 })
  await settle(
    app.db,
    made.map((reservation) => ({ reservation, used: { tokens: 40, microcents: 2 } })),
  )
  expect(await usedOf(app.db, by)).toMatchObject({ tokens: 4_000, microcents: 200 })
  expect(await reserve(app.db, by, limits, { tokens: 6_001, microcents: 0 })).toBeNull()
  expect(await reserve(app.db, by, limits, { tokens: 6_000, microcents: 0 })).not.toBeNull()
})

it('keeps the operator\u2019s and the workspace\u2019s budgets and other workspaces apart', async () => {
  const [{ workspaceId, id: userId }, other] = await Promise.all([makePerson(app), makePerson(app)])
  const limits = { cents: 1, tokens: null }
  const most = { tokens: 1, microcents: 1_000_000 }
  expect(await reserve(app.db, { workspaceId, userId, payer: 'operator' }, limits, most)).not.toBeNull()
  expect(await reserve(app.db, { workspaceId, userId, payer: 'operator' }, limits, most)).toBeNull()
  expect(await reserve(app.db, { workspaceId, userId, payer: 'workspace' }, limits, most)).not.toBeNull()
  expect(
    await reserve(app.db, { workspaceId: other.workspaceId, userId: null, payer: 'operator' }, limits, most),
  ).not.toBeNull()
})

it('keeps the total equal to the sum of what members used, whatever calls are made at once', async () => {
  const [{ workspaceId, id }, { id: otherId }] = await Promise.all([makePerson(app), makePerson(app)])
  const cost = fc.record({ tokens: fc.nat(1_000), microcents: fc.nat(1_000) })
  const call = fc.record({
    userId: fc.constantFrom(id, otherId, null),
    payer: fc.constantFrom('workspace' as const, 'operator' as const),
    most: cost,
    /** Undefined: the process dies before it knows the usage. */
    used: fc.option(cost, { nil: undefined }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(call, { maxLength: 12 }), async (calls) => {
      await Promise.all(
        calls.map(async ({ userId, payer, most, used }) => {
          const limits = { cents: null, tokens: 50_000 }
          const reservation = await reserve(app.db, { workspaceId, userId, payer }, limits, most)
          if (reservation && used) await settle(app.db, [{ reservation, used }])
        }),
      )
      const { rows } = await app.db.execute(sql`
        select payer, u.tokens, u.microcents, sum(m.tokens) as members, sum(m.microcents) as "memberMicrocents"
        from writer_usage u join writer_member_usage m using (workspace_id, month, payer) where workspace_id = ${workspaceId}
        group by workspace_id, month, payer having (u.tokens, u.microcents) is distinct from (sum(m.tokens), sum(m.microcents))`)
      expect(rows).toEqual([])
    }),
    { numRuns: 20 },
  )
})

it('allows nothing on Free, and doubles with the viral reward', () => {
  const allowances = { free: 0, pro: 200, agency: 1_000 }
  const price = { input: 1, output: 1 }
  expect(allowanceOf({ plan: 'free', isViral: false, price }, allowances)).toEqual({ cents: 0, tokens: null })
  expect(allowanceOf({ plan: 'free', isViral: true, price }, allowances).cents).toBe(200)
  expect(allowanceOf({ plan: 'free', isViral: true, price }, { ...allowances, free: 150 }).cents).toBe(300)
  expect(allowanceOf({ plan: 'pro', isViral: true, price }, allowances).cents).toBe(400)
  expect(allowanceOf({ plan: 'agency', isViral: true, price }, allowances).cents).toBe(2_000)
  expect(allowanceOf({ plan: 'pro', isViral: false, price: null }, allowances)).toEqual({
    cents: null,
    tokens: 2_000_000,
  })
})

it('knows the prices of dated versions of models', () => {
  expect(priceOf('gpt-4o-mini-2024-07-18')).toEqual({ input: 15, output: 60 })
  expect(priceOf('my-own-model')).toBeNull()
  expect(costOf({ input: 15, output: 60 }, 1_000, 100)).toEqual({ tokens: 1_100, microcents: 21_000 })
})
