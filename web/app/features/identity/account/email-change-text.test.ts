import { expect, it } from 'vitest'
import { emailChangeNotice } from './email-change-text'

it.each([
  ['waiting', 'This address is confirmed'],
  ['done', 'Email address changed'],
  ['error', 'Email address not changed'],
  ['toString', undefined],
  [null, undefined],
])('maps %j to the title %j', (outcome, title) => {
  expect(emailChangeNotice(outcome)?.title).toBe(title)
})
