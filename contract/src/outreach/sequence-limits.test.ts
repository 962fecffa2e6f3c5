import { expect, it } from 'vitest'
import { launchLimitText } from './sequence-limits.ts'

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
  expect(launchLimitText(plan, sequence)).toBe(text)
})
