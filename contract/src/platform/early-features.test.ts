import { expect, it } from 'vitest'
import { earlyIn } from './early-features.ts'

it.each([
  ['0.9.0', true],
  ['0.9.9', true],
  ['0.10.0', false],
  ['0.10.1', false],
  ['1.0.0', false],
] as const)('says that in release %s, a feature that 0.10.0 opens is early: %s', (release, isEarly) => {
  const feature = { key: 'voice', name: 'Voice notes', opensIn: '0.10.0' }
  expect(earlyIn(release, [feature])).toEqual(isEarly ? [feature] : [])
})
