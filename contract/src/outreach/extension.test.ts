import { expect, test } from 'vitest'
import { connectableMatches, EXTENSION_TEXT, type ExtensionErrorCode, endOf, SEND_WITHIN_MS } from './extension.ts'
import { LEASE_SECONDS } from './sending.ts'

test("allows only the product's origin, and both names of loopback", () => {
  expect(connectableMatches('https://x-automated.example/')).toEqual(['https://x-automated.example/*'])
  expect(connectableMatches('https://x-automated.example:8443')).toEqual(['https://x-automated.example:8443/*'])
  for (const url of ['http://localhost:3000', 'http://127.0.0.1:3000']) {
    expect(connectableMatches(url)).toEqual(['http://localhost:3000/*', 'http://127.0.0.1:3000/*'])
  }
})

test('sends a message well within its lease', () => {
  expect(SEND_WITHIN_MS).toBeLessThan((LEASE_SECONDS - 20) * 1000)
})

test('classifies every failure: failed lead, later, unknown outcome, called back, or stop', () => {
  const codes = Object.keys(EXTENSION_TEXT) as ExtensionErrorCode[]
  const ends = Object.groupBy(codes, endOf)
  expect(ends).toEqual({
    failed: [
      ...['INBOX_CLOSED', 'NO_SUCH_PERSON', 'WRONG_PERSON', 'MESSAGE_REQUEST'],
      ...['DRAFT_IN_THE_WAY', 'X_REFUSED', 'INVALID_REQUEST'],
    ],
    later: ['CANNOT_TELL'],
    unknown: ['OUTCOME_UNKNOWN'],
    'called-back': ['CALLED_BACK'],
    stop: [
      ...['PAUSED', 'NOT_SIGNED_IN', 'WRONG_ACCOUNT', 'X_NEEDS_YOU', 'X_UNAVAILABLE', 'PAGE_CHANGED'],
      ...['CANNOT_TELL_IN_A_ROW', 'INBOXES_CLOSED'],
      ...['PRODUCT_UNREACHABLE', 'BUSY', 'PAIRING_FAILED', 'FORBIDDEN_ORIGIN'],
    ],
  })
  expect(endOf(undefined)).toBe('failed')
})
