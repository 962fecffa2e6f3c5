import { ORPCError } from '@orpc/client'
import { expect, it } from 'vitest'
import { signUpProblem } from './sign-up-text'

it.each([
  ['a fault', new ORPCError('INTERNAL', { status: 500, message: 'broken' }), 'Failed to sign up. Please try again.'],
  ['a refusal', new ORPCError('RATE_LIMITED', { status: 429, message: 'Too many requests.' }), 'Too many requests.'],
  ['a refusal without words', new ORPCError('X', { status: 400, message: '' }), 'An error occurred'],
  ['a browser that fails', new Error('?'), 'An error occurred'],
  ['no connection', new TypeError('Failed to fetch'), /^No connection to the server/],
])('says of %s what the specification says', (_, error, text) => {
  expect(signUpProblem(error)).toMatch(text)
})
