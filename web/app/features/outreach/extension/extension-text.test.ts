import { expect, test } from 'vitest'
import type { ExtensionHere } from '../real-send/extension-link'
import { activityText, otherVersionText } from './extension-text'

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
  [{}, 'Ready. Queued messages are sent even when no page is open.'],
  [{ sendsInBackground: false }, 'Ready. Messages are sent while the Campaigns page is open.'],
  [{ pairedWith: null }, 'Ready. Start sending on the Campaigns page.'],
  [{ activity: null }, "Installed. This page can't tell what it's doing."],
  [{ paused: true }, 'Paused in its popup.'],
  [{ pageChanged: 'a part' }, 'Not sending.'],
  [{ activity: { doing: 'sending', handle: 'ada' } }, 'Sending to @ada…'],
  [{ activity: { doing: 'waiting', until: new Date(2026, 0, 1, 9, 5).getTime() } }, /^Waiting until .*9:05.* to send/],
  [{ activity: { doing: 'stopped', error: 'Sign in first.', until: 0 } }, 'Sending has stopped: Sign in first.'],
])('activityText describes %j as %s', (change, text) => {
  expect(activityText({ ...usual, ...change })).toEqual(typeof text === 'string' ? text : expect.stringMatching(text))
})

test.each([
  ['0.9.0', "This page doesn't fully support version 0.9.0 of the extension in this browser."],
  [null, "This page doesn't fully support the version of the extension in this browser."],
])('otherVersionText names version %s and both fixes', (version, text) => {
  expect(otherVersionText({ version })).toBe(`${text} Reload the page. If this message stays, update the extension.`)
})
