import { expect, test } from 'vitest'
import { resultText, stateText, usageText } from './popup-text.ts'

const pairing = { origin: 'https://a.example', token: 'xae_', email: 'a@b.c', workspaceName: 'A' }
const remote = {
  account: { email: 'a@b.c', workspaceName: 'A' },
  sentToday: 1204,
  dailyCap: 5000,
  campaigns: 1,
  queued: 1500,
  latestVersion: null,
}
const idle = { doing: 'nothing' } as const
const usual = { paused: false, pairing, sendsInBackground: true, remote, changed: false, activity: idle }

test.each([
  [{ paused: true }, 'Paused. Turn sending on to continue.'],
  [{ changed: true }, 'Not sending.'],
  [{ activity: { doing: 'stopped', error: 'x', until: 9 } }, 'Not sending.'],
  [{ activity: { doing: 'sending', handle: 'ada' } }, 'Sending to @ada…'],
  [{ activity: { doing: 'waiting', until: 0 } }, '1,500 queued in 1 campaign.'],
  [{ pairing: null }, 'Ready. Start sending on the Campaigns page.'],
  [{ sendsInBackground: false }, 'Ready. Messages are sent while the Campaigns page is open.'],
  [{ remote: { ...remote, campaigns: 2 } }, '1,500 queued in 2 campaigns.'],
  [{ remote: { ...remote, queued: 0 } }, 'Ready. Nothing is queued.'],
  [{ remote: null }, 'Ready. Nothing is queued.'],
] as const)('describes %j as %s', (change, text) => {
  expect(stateText({ ...usual, ...change }, 1)).toBe(text)
})

test('shows the end of a wait, the last result and the daily usage', () => {
  const until = new Date(2026, 0, 1, 14, 5).getTime()
  expect(stateText({ ...usual, activity: { doing: 'waiting', until } }, 0)).toMatch(/^Waiting until .*2?:05/)
  expect(resultText({ handle: 'ada', error: null, at: 0 }, 60_000)).toBe('Sent to @ada, 1 minute ago')
  expect(resultText({ handle: 'ada', error: 'No.', at: 0 }, 0)).toBe('Not sent to @ada, just now. No.')
  expect(usageText(remote)).toBe('1,204 of 5,000 messages')
  expect(usageText(null)).toBe('Pair the extension to see this')
})
