import { ORPCError } from '@orpc/client'
import { expect, test } from 'vitest'
import {
  campaignsProblem,
  changeProblem,
  creationProblem,
  dmsProblem,
  launchProblem,
  listsProblem,
  queueRefusal,
  staleDmsProblem,
} from './campaign-text'

const refused = new ORPCError('FORBIDDEN', { status: 403, message: 'Not today.' })
const withoutMessage = new ORPCError('INTERNAL', { status: 500 })
const offline = new TypeError('Failed to fetch')

test('explains why campaigns could not be loaded or refreshed', () => {
  expect(campaignsProblem(refused, false)).toBe('Failed to fetch campaigns: Not today.')
  expect(campaignsProblem(refused, true)).toBe('Failed to refresh campaigns: Not today.')
  expect(campaignsProblem(offline, false)).toBe('An error occurred while fetching initial data.')
  expect(campaignsProblem(offline, true)).toBe('Error refreshing campaigns.')
})

test('explains why lists could not be loaded', () => {
  expect(listsProblem(refused)).toBe('Failed to fetch your lead lists: Not today.')
  expect(listsProblem(offline)).toBe('An error occurred while fetching initial data.')
})

test('explains why a campaign could not be created', () => {
  expect(creationProblem(refused, 'pause')).toBe('Failed to save campaign: Not today.')
  expect(creationProblem(refused, 'launch')).toBe('Failed to create campaign entry: Not today.')
  expect(creationProblem(withoutMessage, 'launch')).toBe('Failed to create campaign entry: Unknown error')
})

test('explains why a campaign could not be changed or launched', () => {
  expect(changeProblem(refused, 'active')).toBe('Failed to resume campaign: Not today.')
  expect(changeProblem(refused, 'paused')).toBe('Failed to pause campaign: Not today.')
  expect(changeProblem(refused, 'archived')).toBe('Failed to archive campaign: Not today.')
  expect(launchProblem(refused)).toBe('Failed to launch campaign or queue DMs: Not today.')
})

test('explains why messages could not be loaded', () => {
  expect(dmsProblem(refused)).toBe('Not today.')
  expect(dmsProblem(offline)).toBe('An unexpected error occurred.')
  expect(staleDmsProblem(refused)).toBe('Failed to fetch DMs for campaign: Not today.')
  expect(staleDmsProblem(offline)).toBe('An unexpected error occurred.')
})

test('requires a session to process the queue', () => {
  expect(queueRefusal(false)).toBe('Please log in to process the queue.')
  expect(queueRefusal(true)).toBeNull()
})
