import { expect, it } from 'vitest'
import { emailChangeNotice } from './email-change-text'

it.each([
  ['waiting', 'This address is confirmed'],
  ['done', 'Email address changed'],
  ['error', 'Email address not changed'],
  ['toString', undefined],
  [null, undefined],
])('returns for %j the title %j', (outcome, title) => {
  expect(emailChangeNotice(outcome)?.title).toBe(title)
})
