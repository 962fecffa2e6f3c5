import { expect, test } from 'vitest'
import type { ExtensionHere } from './extension-link'
import { hasNoSender } from './no-sender'

const at = (seconds: number) => new Date(seconds * 1000).toISOString()
const campaign = {
  id: 'a',
  channel: 'extension',
  status: 'active',
  dmsQueuedCount: 3,
  waiting: false,
  waitingFor: null,
  lastRunAt: null,
  updatedAt: at(0),
} as const
const here: ExtensionHere = {
  version: '1',
  paused: false,
  pageChanged: null,
  signedInAs: 'ada',
  pairedWith: { email: 'a@example.com', workspaceName: 'A' },
  sendsInBackground: false,
  activity: { doing: 'nothing' },
  isOtherVersion: false,
}
const check = (change = {}, state: { runId?: string | null; here?: ExtensionHere | null | undefined } = {}) =>
  hasNoSender({ ...campaign, ...change }, { runId: null, here: null, ...state }, 120_000)

test('finds no sender if no browser has been active for a while', () => {
  expect(check()).toBe(true)
  expect(check({ lastRunAt: at(100) })).toBe(false)
  expect(check({ updatedAt: at(100) })).toBe(false)
  expect(check({}, { here })).toBe(true)
})

test('finds a sender while the campaign waits or this tab or the extension sends it', () => {
  expect(check({ waitingFor: { reason: 'pause', until: at(200) } })).toBe(false)
  expect(check({}, { runId: 'a' })).toBe(false)
  expect(check({}, { runId: 'b' })).toBe(true)
  expect(check({}, { here: undefined })).toBe(false)
  expect(check({}, { here: { ...here, activity: { doing: 'sending', handle: 'eve' } } })).toBe(false)
  expect(check({}, { here: { ...here, sendsInBackground: true } })).toBe(false)
  expect(check({}, { here: { ...here, sendsInBackground: true, paused: true } })).toBe(true)
})

test('ignores campaigns that the server sends or that have ended', () => {
  expect(check({ channel: 'api' })).toBe(false)
  expect(check({ status: 'paused' })).toBe(false)
  expect(check({ dmsQueuedCount: 0 })).toBe(false)
})
