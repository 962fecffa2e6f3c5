import { expect, it } from 'vitest'
import { tokenIn } from './recovery-link'

it.each([
  ['#token=abc_-9', 'abc_-9'],
  ['#token=a%2Bb&type=recovery', 'a+b'],
  ['#token=', null],
  ['#error=expired', null],
  ['', null],
])('parses %j to the token %j', (fragment, token) => {
  expect(tokenIn(fragment)).toBe(token)
})
