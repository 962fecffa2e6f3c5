import { expect, test } from 'vitest'
import { failure } from './failure.ts'

test("inserts the handle and the cause, even if X's text contains placeholders or $ patterns", () => {
  expect(failure({ code: 'INBOX_CLOSED' }, 'ada').error).toBe(
    '@ada does not accept direct messages from your X account.',
  )
  expect(failure({ code: 'X_REFUSED', detail: '$& {handle}' }, 'ada')).toEqual({
    success: false,
    code: 'X_REFUSED',
    error: 'X rejected the message: $& {handle}',
  })
})
