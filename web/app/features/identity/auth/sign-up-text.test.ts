import { ORPCError } from '@orpc/client'
import { expect, it } from 'vitest'
import { signUpProblem } from './sign-up-form'

it.each([
  ['a 500', new ORPCError('INTERNAL', { status: 500, message: 'broken' }), 'Failed to sign up. Please try again.'],
  ['a 4xx', new ORPCError('RATE_LIMITED', { status: 429, message: 'Too many requests.' }), 'Too many requests.'],
  ['a 4xx without a message', new ORPCError('X', { status: 400, message: '' }), 'An error occurred'],
  ['another error', new Error('?'), 'An error occurred'],
  ['a failed connection', new TypeError('Failed to fetch'), /^No connection to the server/],
])('returns the message for %s', (_, error, text) => {
  expect(signUpProblem(error)).toMatch(text)
})
