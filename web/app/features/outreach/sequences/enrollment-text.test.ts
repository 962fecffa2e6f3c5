import type { Enrollment } from '@x-automated/contract/outreach/sequences'
import { expect, it } from 'vitest'
import { peopleText, positionText } from './enrollment-text'

const enrollment: Enrollment = {
  id: 'e',
  campaignId: 'c',
  lead: null,
  state: 'active',
  version: 1,
  stepNumber: 2,
  nextAt: '2026-12-02T12:00:00Z',
  pausedUntil: null,
  reason: null,
}
const textOf = (change: Partial<Enrollment>) =>
  positionText({ ...enrollment, ...change }, Date.parse('2026-12-01T12:00:00Z'))

it('says where a person is, and why', () => {
  expect(textOf({})).toBe('Next message Wed, Dec 2')
  expect(textOf({ nextAt: '2026-12-01T12:05:00Z' })).toMatch(/^Next message \d+:05\sPM$/)
  expect(textOf({ stepNumber: 1, nextAt: '2026-12-01T11:59:00Z' })).toBe('Waiting for the first message')
  expect(textOf({ stepNumber: 1 })).toBe('First message Wed, Dec 2')
  expect(textOf({ state: 'paused', reason: { code: 'person', params: {} } })).toBe('Paused')
  const later = { code: 'later', params: {} } as const
  expect(textOf({ state: 'paused', pausedUntil: '2026-12-15T12:00:00Z', reason: later })).toBe(
    'Paused until Tue, Dec 15: asked to hear from you later',
  )
  expect(textOf({ state: 'finished', stepNumber: null, nextAt: null })).toBe('Reached the end')
  expect(textOf({ state: 'replied', reason: { code: 'written_by_hand', params: {} } })).toBe(
    'You messaged them yourself',
  )
  expect(textOf({ state: 'stopped', reason: { code: 'skipped', params: { skip: 'replied' } } })).toBe(
    'Skipped: this person has replied',
  )
})

it('names the campaign that a skipped person is in, and nothing that is unknown', () => {
  const stopped = (params: Record<string, string>) =>
    textOf({ state: 'stopped', reason: { code: 'skipped', params: { skip: 'queued_elsewhere', ...params } } })
  expect(stopped({ how: 'campaign', campaign: 'SaaS founders', campaignId: 'c' })).toBe(
    'In the campaign “SaaS founders”',
  )
  expect(stopped({ how: 'direct' })).toBe('Skipped: this person is already queued for a direct message')
  expect(stopped({})).toBe('Skipped: this person is already queued elsewhere')
})

it('says that a total may be higher once counting stops', () => {
  expect([9_999, 10_000].map((total) => peopleText(total, 10_000))).toEqual(['9,999 people', 'At least 10,000 people'])
})
