import { expect, test } from 'vitest'
import { nextStepOf } from './list-card'

const list = (leadCount: number, contactedCount: number) => ({ leadCount, contactedCount })

test('asks for leads while a list has none', () => {
  expect(nextStepOf(list(0, 0), undefined)).toBe('fill')
  expect(nextStepOf(list(0, 0), { status: 'completed' })).toBe('fill')
})

test('offers a campaign while people are left whom none reaches', () => {
  expect(nextStepOf(list(9, 0), undefined)).toBe('start')
  expect(nextStepOf(list(9, 4), { status: 'completed' })).toBe('start')
  expect(nextStepOf(list(9, 4), { status: 'archived' })).toBe('start')
})

test('opens the latest campaign if it is unfinished or reached everyone', () => {
  for (const status of ['draft', 'active', 'paused'] as const) expect(nextStepOf(list(9, 4), { status })).toBe('open')
  expect(nextStepOf(list(9, 9), { status: 'completed' })).toBe('open')
})
