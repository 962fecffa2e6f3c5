import { expect, it } from 'vitest'
import { supportText } from './support-text'

it('names the support and the target for the first answer', () => {
  expect(supportText({ kind: 'priority', firstAnswer: '1 business day' })).toBe(
    'Priority support: first answer within 1 business day.',
  )
})

it('promises no time on Free', () => {
  expect(supportText({ kind: 'basic', firstAnswer: null })).toBe('Support by email, without a promised answer time.')
})
