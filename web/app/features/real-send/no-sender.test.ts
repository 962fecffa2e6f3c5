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
const left = (change = {}, known: { runId?: string | null; here?: ExtensionHere | null | undefined } = {}) =>
  hasNoSender({ ...campaign, ...change }, { runId: null, here: null, ...known }, 120_000)

test('a campaign that waits for a browser is left alone when nothing was heard of one for a while', () => {
  expect(left()).toBe(true)
  expect(left({ lastRunAt: at(100) })).toBe(false)
  expect(left({ updatedAt: at(100) })).toBe(false)
  expect(left({}, { here })).toBe(true)
})

test('it is not while it rests, is sent from this tab, or by the extension here', () => {
  expect(left({ waitingFor: { reason: 'pause', until: at(200) } })).toBe(false)
  expect(left({}, { runId: 'a' })).toBe(false)
  expect(left({}, { runId: 'b' })).toBe(true)
  expect(left({}, { here: undefined })).toBe(false)
  expect(left({}, { here: { ...here, activity: { doing: 'sending', handle: 'eve' } } })).toBe(false)
  expect(left({}, { here: { ...here, sendsInBackground: true } })).toBe(false)
  expect(left({}, { here: { ...here, sendsInBackground: true, paused: true } })).toBe(true)
})

test('what our servers send, and what is over, is nobody’s to wait for', () => {
  expect(left({ channel: 'api' })).toBe(false)
  expect(left({ status: 'paused' })).toBe(false)
  expect(left({ dmsQueuedCount: 0 })).toBe(false)
})
