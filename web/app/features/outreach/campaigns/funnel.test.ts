import fc from 'fast-check'
import { expect, test } from 'vitest'
import { funnelOf } from './funnel'

test('includes later steps in each step', () => {
  const counts = { dmsQueuedCount: 3, dmsSentCount: 5, dmsFailedCount: 2, dmsDeliveredCount: 4, dmsRepliedCount: 1 }
  expect(funnelOf(counts).map(({ label, count, before }) => [label, count, before])).toEqual([
    ['Queued', 10, null],
    ['Sent', 5, 10],
    ['Delivered', 4, 5],
    ['Replied', 1, 4],
  ])
  fc.assert(
    fc.property(fc.array(fc.nat(1_000), { minLength: 5, maxLength: 5 }), ([queued, failed, a, b, c]) => {
      const [replied, delivered, sent] = [a, b, c].sort((x, y) => Number(x) - Number(y)) as [number, number, number]
      const steps = funnelOf({
        dmsQueuedCount: queued as number,
        dmsFailedCount: failed as number,
        dmsSentCount: sent,
        dmsDeliveredCount: delivered,
        dmsRepliedCount: replied,
      })
      for (const { count, before } of steps) expect(count).toBeLessThanOrEqual(before ?? count)
    }),
  )
})
