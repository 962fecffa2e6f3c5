import type { ExtensionStatus } from '@x-automated/contract/extension'
import { expect, test } from 'vitest'
import { activityWords } from './extension-words'

const usual: ExtensionStatus = {
  version: '1',
  paused: false,
  pageChanged: null,
  signedInAs: 'ada',
  pairedWith: { email: 'a@b.c', workspaceName: 'A' },
  sendsAlone: true,
  activity: { doing: 'nothing' },
}

test.each<[Partial<ExtensionStatus>, string | RegExp]>([
  [{}, 'Ready. It sends what you queue, with or without a page.'],
  [{ sendsAlone: false }, 'Ready. It sends while the campaigns page is open.'],
  [{ pairedWith: null }, 'Ready for the messages that you start on the campaigns page.'],
  [{ paused: true }, 'Paused in its popup.'],
  [{ pageChanged: 'a part' }, 'Not sending.'],
  [{ activity: { doing: 'sending', handle: 'ada' } }, 'Sending to @ada…'],
  [{ activity: { doing: 'waiting', until: new Date(2026, 0, 1, 9, 5).getTime() } }, /^Waiting until .*9:05.* to send/],
  [{ activity: { doing: 'stopped', error: 'Sign in first.', until: 0 } }, 'Sending has stopped: Sign in first.'],
])('with %j it says %s', (change, words) => {
  expect(activityWords({ ...usual, ...change })).toEqual(
    typeof words === 'string' ? words : expect.stringMatching(words),
  )
})
