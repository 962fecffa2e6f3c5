import { expect, it } from 'vitest'
import { launchLimitText, sequenceLimits, stepsLimitText } from './sequence-limits.ts'

it.each([
  ['free', { steps: 1, hasVariants: false, hasReengagement: false }, null],
  ['agency', { steps: 10, hasVariants: true, hasReengagement: true }, null],
  ['pro', { steps: 3, hasVariants: false, hasReengagement: false }, null],
  [
    'pro',
    { steps: 4, hasVariants: false, hasReengagement: true },
    'On your Pro plan, this campaign launches with the first 3 messages only, without re-engagement. Upgrade to Agency to launch all of it.',
  ],
  [
    'free',
    { steps: 2, hasVariants: true, hasReengagement: false },
    'On your Free plan, this campaign launches with the first message only, with one variant of each message. Upgrade to Agency to launch all of it.',
  ],
  [
    'free',
    { steps: 3, hasVariants: false, hasReengagement: false },
    'On your Free plan, this campaign launches with the first message only. Upgrade to Pro to launch all of it.',
  ],
] as const)('says what the plan %s leaves of %j at the launch', (plan, sequence, text) => {
  expect(launchLimitText(plan, sequenceLimits(plan, []), sequence)).toBe(text)
})

it('launches three steps on Free for a Global Networker, and names Agency for more', () => {
  const limits = sequenceLimits('free', ['bronze', 'global'])
  const sequence = { steps: 3, hasVariants: false, hasReengagement: false }
  expect(launchLimitText('free', limits, sequence)).toBeNull()
  expect(launchLimitText('free', limits, { ...sequence, steps: 4 })).toBe(
    'On your Free plan, this campaign launches with the first 3 messages only. Upgrade to Agency to launch all of it.',
  )
})

it.each([
  ['free', [], 'Your Free plan includes 1 step per campaign. Upgrade to Pro for 3.'],
  [
    'free',
    ['global'],
    'Your Free plan, with the Global Networker reward, includes 3 steps per campaign. Upgrade to Agency for 10.',
  ],
  ['pro', [], 'Your Pro plan includes 3 steps per campaign. Upgrade to Agency for 10.'],
  ['pro', ['global'], 'Your Pro plan includes 3 steps per campaign. Upgrade to Agency for 10.'],
  ['agency', ['global'], 'A campaign has at most 10 steps.'],
] as const)('names the steps of %s with %j, and what lifts them', (plan, achievements, text) => {
  expect(stepsLimitText(plan, sequenceLimits(plan, achievements))).toBe(text)
})
