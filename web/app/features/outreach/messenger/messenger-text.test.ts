import { ORPCError } from '@orpc/client'
import { expect, test } from 'vitest'
import { fetchProblem, runProblem } from './messenger-text'

test('explains why leads could not be loaded, with the server’s message if there is one', () => {
  const refused = new ORPCError('FORBIDDEN', { status: 403, message: 'Not today.' })
  expect(fetchProblem(refused)).toBe('Failed to fetch leads: Not today.')
  expect(fetchProblem(new ORPCError('INTERNAL', { status: 500 }))).toBe('Failed to fetch leads: Unknown error')
  expect(fetchProblem(new TypeError('Failed to fetch'))).toBe('Failed to fetch leads: Unknown error')
})

test('explains why a run failed', () => {
  expect(runProblem(new Error('Boom'))).toBe('Failed to send messages: An unexpected error occurred. Please try again.')
  expect(runProblem(new TypeError('Failed to fetch'))).toMatch(/^Failed to send messages: No connection/)
})
