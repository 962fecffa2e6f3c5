import { expect, test } from 'vitest'
import type { ExtensionHere } from '../real-send/extension-link'
import { activityWords, otherVersionWords } from './extension-words'

const usual: ExtensionHere = {
  version: '1',
  paused: false,
  pageChanged: null,
  signedInAs: 'ada',
  pairedWith: { email: 'a@b.c', workspaceName: 'A' },
  sendsInBackground: true,
  activity: { doing: 'nothing' },
  isOtherVersion: false,
}

test.each<[Partial<ExtensionHere>, string | RegExp]>([
  [{}, 'Ready. It sends what you queue, with or without a page.'],
  [{ sendsInBackground: false }, 'Ready. It sends while the campaigns page is open.'],
  [{ pairedWith: null }, 'Ready for the messages that you start on the campaigns page.'],
  [{ activity: null }, 'Installed. This page cannot tell what it is doing.'],
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

test.each([
  ['0.9.0', 'This page does not fully understand version 0.9.0 of the extension in this browser.'],
  [null, 'This page does not fully understand the version of the extension in this browser.'],
])('names the other version %s and both ways out', (version, words) => {
  expect(otherVersionWords({ version })).toBe(`${words} Reload the page. If this message stays, update the extension.`)
})
