import { ORPCError } from '@orpc/client'
import { expect, test } from 'vitest'
import { type LaunchCalls, launchWithinPlan } from './launch-within-plan'

/** Creates API calls for a plan with this many messages left at each call, because others queue messages, too. */
function planWith(leftAtEachCall: readonly (number | null)[], code = 'PLAN_LIMIT') {
  const limits: (number | undefined)[] = []
  let call = 0
  const left = () => leftAtEachCall[Math.min(call, leftAtEachCall.length - 1)] ?? null
  const calls: LaunchCalls = {
    findLeft: async () => left(),
    async queue({ limit }) {
      limits.push(limit)
      call += 1
      const now = left()
      if (code !== 'PLAN_LIMIT') throw new ORPCError(code)
      if (now !== null && (limit ?? 100) > now)
        throw new ORPCError('PLAN_LIMIT', { data: { limit: 50, used: 50 - now, plan: 'free' } })
      return { success: true, dmsQueued: Math.min(limit ?? 100, 100), totalLeads: 100 }
    },
  }
  return { limits, launch: () => launchWithinPlan({ id: 'c', holdSeconds: 10 }, calls) }
}

test('launches for everyone if the plan is unlimited', async () => {
  const { limits, launch } = planWith([null])
  expect(await launch()).toMatchObject({ dmsQueued: 100 })
  expect(limits).toEqual([undefined])
})

test('launches for as many people as the plan has left', async () => {
  const { limits, launch } = planWith([50])
  expect(await launch()).toMatchObject({ dmsQueued: 50 })
  expect(limits).toEqual([50])
})

test('launches for later if nothing is left', async () => {
  const { limits, launch } = planWith([0])
  expect(await launch()).toMatchObject({ dmsQueued: 0 })
  expect(limits).toEqual([0])
})

test('asks again if the plan has less left by then', async () => {
  const { limits, launch } = planWith([50, 20, 12, 12])
  expect(await launch()).toMatchObject({ dmsQueued: 12 })
  expect(limits).toEqual([50, 20, 12])
})

test('gives up if the plan always has less left, and at other errors', async () => {
  const shrinking = planWith([9, 8, 7, 6, 5, 4, 3, 2, 1])
  await expect(shrinking.launch()).rejects.toMatchObject({ code: 'PLAN_LIMIT' })
  expect(shrinking.limits).toEqual([9, 8, 7])
  const refused = planWith([50], 'X_NOT_CONNECTED')
  await expect(refused.launch()).rejects.toMatchObject({ code: 'X_NOT_CONNECTED' })
  expect(refused.limits).toEqual([50])
})
