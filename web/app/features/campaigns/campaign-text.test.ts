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
const wordless = new ORPCError('INTERNAL', { status: 500 })
const unplugged = new TypeError('Failed to fetch')

test('campaigns that cannot be read, at first and again', () => {
  expect(campaignsProblem(refused, false)).toBe('Failed to fetch campaigns: Not today.')
  expect(campaignsProblem(refused, true)).toBe('Failed to refresh campaigns: Not today.')
  expect(campaignsProblem(unplugged, false)).toBe('An error occurred while fetching initial data.')
  expect(campaignsProblem(unplugged, true)).toBe('Error refreshing campaigns.')
})

test('lists that cannot be read have the text of initial data on connection loss', () => {
  expect(listsProblem(refused)).toBe('Failed to fetch your lead lists: Not today.')
  expect(listsProblem(unplugged)).toBe('An error occurred while fetching initial data.')
})

test('a campaign that could not be made', () => {
  expect(creationProblem(refused, 'pause')).toBe('Failed to save campaign: Not today.')
  expect(creationProblem(refused, 'launch')).toBe('Failed to create campaign entry: Not today.')
  expect(creationProblem(wordless, 'launch')).toBe('Failed to create campaign entry: Unknown error')
})

test('a campaign that stays as it is', () => {
  expect(changeProblem(refused, 'active')).toBe('Failed to resume campaign: Not today.')
  expect(changeProblem(refused, 'paused')).toBe('Failed to pause campaign: Not today.')
  expect(changeProblem(refused, 'archived')).toBe('Failed to archive campaign: Not today.')
  expect(launchProblem(refused)).toBe('Failed to launch campaign or queue DMs: Not today.')
})

test('messages that cannot be read', () => {
  expect(dmsProblem(refused)).toBe('Not today.')
  expect(dmsProblem(unplugged)).toBe('An unexpected error occurred.')
  expect(staleDmsProblem(refused)).toBe('Failed to fetch DMs for campaign: Not today.')
  expect(staleDmsProblem(unplugged)).toBe('An unexpected error occurred.')
})

test('the queue is processed for people who are signed in', () => {
  expect(queueRefusal(false)).toBe('Please log in to process the queue.')
  expect(queueRefusal(true)).toBeNull()
})
