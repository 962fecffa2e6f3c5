import { expect, it } from 'vitest'
import { emailChangeNotice } from './email-change-text'

it.each([
  ['waiting', 'This mailbox has confirmed'],
  ['done', 'The email address was changed'],
  ['error', 'The email address was not changed'],
  ['toString', undefined],
  [null, undefined],
])('says of %j: %j', (outcome, title) => {
  expect(emailChangeNotice(outcome)?.title).toBe(title)
})
