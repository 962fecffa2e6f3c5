import { EXTENSION_TEXT, MESSAGE_LIMIT } from '@x-automated/contract/outreach/extension'
import { RELEASE } from '@x-automated/contract/platform/early-features'
import { idOfHandle } from '@x-automated/stand-ins/x/ids'
import { conversationId } from '@x-automated/stand-ins/x/messages'
import type { Page } from 'playwright-core'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import shipped from '../../extension/pages.json' with { type: 'json' }
import { type ExtensionWorld, openExtensionWorld } from '../extension-world.ts'
import { messagesAtX } from '../world.ts'

let world: ExtensionWorld
/** The user's own tab on x.com. */
let own: Page
beforeAll(async () => {
  world = await openExtensionWorld()
})
beforeEach(async () => {
  await world.faults([])
  await world.wear('chat')
})

const SENDING = '/i/api/1.1/dm/new2.json'

const send = (twitterHandle: string, message: string, requestId?: string) =>
  world.ask(world.product, { action: 'SEND_TWITTER_DM', data: { twitterHandle, message, requestId } })
const sentTo = async (handle: string) =>
  (await messagesAtX(world.x)).filter(({ to }) => to === handle).map(({ from, text }) => ({ from, text }))
/** Brings the extension's own tab to the front. Otherwise it would check twice. */
const showExtensionTab = () =>
  world.context
    .pages()
    .find((page) => page !== own && page.url().startsWith('https://x.com/'))
    ?.bringToFront()
const textInPopup = async () => (await world.popup.locator('dl').innerText()).replaceAll(/\s+/g, ' ')

test('reports a missing login on X to the page and in the popup, before and while sending', async () => {
  const signedOut = { success: false, error: EXTENSION_TEXT.NOT_SIGNED_IN, code: 'NOT_SIGNED_IN' }
  const check = (data: object) => world.ask(world.product, { action: 'CHECK_SENDING', data })
  expect(await check({})).toEqual(signedOut)
  expect(await send('open_ada', 'Hi')).toEqual(signedOut)
  await expect.poll(textInPopup).toContain('Not logged in')
  own = await world.signInToX('ext_sender')
  await expect.poll(textInPopup).toContain('Logged in as @ext_sender')
  expect(await check({})).toEqual({ success: true })
  expect(await check({ sendsAs: '@Ext_Sender' })).toEqual({ success: true })
  expect(await check({ sendsAs: 'other_sender' })).toMatchObject({ success: false, code: 'WRONG_ACCOUNT' })
})

test('sends a message with lines, an emoji and a link once and confirms that it is in the conversation', async () => {
  const message =
    'Hi Ada 🙂, seen @open_ada on X.\n\nMore at https://www.example.com/a/rather/long/path?with=query – ok?'
  expect(await send('@open_ada', message)).toEqual({ success: true })
  expect(await sentTo('open_ada')).toEqual([{ from: 'ext_sender', text: message }])
  await expect.poll(textInPopup).toContain('Sent to @open_ada, just now')
  expect(own.url()).toBe('https://x.com/home')
})

test('sends simultaneous requests one by one, and a repeated request once', async () => {
  const replies = await Promise.all([
    send('open_bob', 'Hello\nBob 🙂', 'attempt-1'),
    send('open_bob', 'Hello\nBob 🙂', 'attempt-1'),
    send('open_eve', 'Hello Eve'),
  ])
  expect(replies).toEqual([{ success: true }, { success: true }, { success: true }])
  expect(await send('open_bob', 'Hello\nBob 🙂', 'attempt-1')).toEqual({ success: true })
  expect(await sentTo('open_bob')).toEqual([{ from: 'ext_sender', text: 'Hello\nBob 🙂' }])
  expect(await sentTo('open_eve')).toEqual([{ from: 'ext_sender', text: 'Hello Eve' }])
  expect(await send('open_bob', 'Something else', 'attempt-1')).toMatchObject({ code: 'INVALID_REQUEST' })
})

test("sends nothing if an account other than the campaign's is logged in", async () => {
  const sendAs = (sendsAs: string) =>
    world.ask(world.product, { action: 'SEND_TWITTER_DM', data: { twitterHandle: 'open_ina', message: 'Hi', sendsAs } })
  expect(await sendAs('other_sender')).toEqual({
    success: false,
    error:
      'This browser is logged in to X as @ext_sender, but the campaign sends as @other_sender. Switch to that account on x.com, then try again. If both are the same account under a new name, connect it again.',
    code: 'WRONG_ACCOUNT',
  })
  expect(await sentTo('open_ina')).toEqual([])
  expect(await sendAs('@Ext_Sender')).toEqual({ success: true })
})

test('waits for late buttons and for the skeleton of the chat', async () => {
  await world.wear('slow')
  expect(await send('open_sam', 'Hi Sam')).toEqual({ success: true })
  // The earlier message appears after the composer, and must not be mistaken for the new one.
  await world.faults([{ path: SENDING, status: 403, times: 1 }])
  expect(await send('open_sam', 'Hi Sam')).toMatchObject({ code: 'X_REFUSED' })
  expect(await sentTo('open_sam')).toHaveLength(1)
})

test.each(['command', 'paste', 'setter'] as const)('writes into a field that only accepts %s', async (typing) => {
  await world.wear('chat', typing)
  expect(await send(`open_${typing}`, 'Hello\nthere 🙂')).toEqual({ success: true })
  expect(await sentTo(`open_${typing}`)).toEqual([{ from: 'ext_sender', text: 'Hello\nthere 🙂' }])
})

test('sends in a drawer that opens on the profile, and reads it after a lost response', async () => {
  await world.wear('drawer')
  expect(await send('open_dan', 'Hi Dan')).toEqual({ success: true })
  expect(await sentTo('open_dan')).toEqual([{ from: 'ext_sender', text: 'Hi Dan' }])
  await world.faults([{ path: SENDING, dropAfter: true, times: 4 }])
  expect(await send('open_dot', 'Lost answer')).toEqual({ success: true })
  expect(await sentTo('open_dot')).toHaveLength(1)
})

test.each([
  [
    'passcode_new',
    'X needs your attention: it asks you to choose a passcode for your chats. Open x.com, then try again.',
  ],
  ['passcode', 'X needs your attention: it asks for the passcode of your chats. Open x.com, then try again.'],
])('leaves the page %s to the user', async (markup, error) => {
  await world.wear(markup)
  expect(await send('open_gus', 'Hi')).toEqual({ success: false, error, code: 'X_NEEDS_YOU' })
})

test('sends nothing to people who wrote first and wait to be accepted', async () => {
  await world.wear('request')
  expect(await send('open_gus', 'Hi')).toEqual({
    success: false,
    error: '@open_gus wrote to you first. Accept their message request on X. Nothing was sent.',
    code: 'MESSAGE_REQUEST',
  })
})

test.each([
  ['profile', 'chat'],
  ['conversation', 'no_id'],
])('refuses a %s of another person than the lead', async (_where, markup) => {
  await world.wear(markup)
  const ask = (xUserId: string) =>
    world.ask(world.product, {
      action: 'SEND_TWITTER_DM',
      data: { twitterHandle: 'open_ned', message: markup, xUserId },
    })
  expect(await ask(idOfHandle('open_eve'))).toEqual({
    success: false,
    error: '@open_ned on X is not your lead: the profile has another X user ID. Nothing was sent.',
    code: 'WRONG_PERSON',
  })
  expect((await sentTo('open_ned')).map(({ text }) => text)).not.toContain(markup)
  expect(await ask(idOfHandle('open_ned'))).toEqual({ success: true })
  expect((await sentTo('open_ned')).map(({ text }) => text)).toContain(markup)
})

test('distinguishes a closed inbox from a missing person, and from one of whom X shows too little', async () => {
  const closed = {
    success: false,
    error: '@closed_ada does not accept direct messages from your X account.',
    code: 'INBOX_CLOSED',
  }
  expect(await send('closed_ada', 'Hi')).toEqual(closed)
  expect(await send('missing_ada', 'Hi')).toMatchObject({ code: 'NO_SUCH_PERSON' })
  await showExtensionTab()
  // X may show the name of such an account without a profile, so this proves nothing.
  expect(await send('suspended_ada', 'Hi')).toMatchObject({ code: 'CANNOT_TELL' })
  await world.wear('unclear')
  expect(await send('closed_ada', 'Hi')).toEqual({
    success: false,
    error: 'X did not show whether @closed_ada can be messaged. Nothing was sent. It will be tried again later.',
    code: 'CANNOT_TELL',
  })
})

test('reads the conversation after a lost response instead of sending again', async () => {
  await world.faults([{ path: SENDING, dropAfter: true, times: 4 }])
  expect(await send('open_carol', 'Lost answer')).toEqual({ success: true })
  expect(await sentTo('open_carol')).toHaveLength(1)
})

test("reports X's error text if X rejects the message", async () => {
  await world.faults([{ path: SENDING, status: 403, code: 226, times: 1 }])
  const reply = await send('open_dora', 'Refused', 'attempt-2')
  expect(reply).toMatchObject({ code: 'X_REFUSED', error: expect.stringContaining('looks like it might be automated') })
  expect(await sentTo('open_dora')).toEqual([])
  // Nothing was sent, so the same request may be repeated.
  expect(await send('open_dora', 'Refused', 'attempt-2')).toEqual({ success: true })
  expect(await sentTo('open_dora')).toHaveLength(1)
})

test('keeps an outcome unknown if it cannot be settled, and never clicks send again', async () => {
  // Only this conversation: the previous one is still open and keeps polling.
  const conversation = `/i/api/conversations/${conversationId(idOfHandle('ext_sender'), idOfHandle('open_fay'))}`
  await world.faults([
    { path: SENDING, dropAfter: true },
    { path: conversation, delayMs: 1, times: 1 },
    { path: conversation, status: 503 },
  ])
  const unknown = { success: false, error: EXTENSION_TEXT.OUTCOME_UNKNOWN, code: 'OUTCOME_UNKNOWN' }
  expect(await send('open_fay', 'Unclear', 'attempt-3')).toEqual(unknown)
  await world.faults([])
  expect(await send('open_fay', 'Unclear', 'attempt-3')).toEqual(unknown)
  expect(await sentTo('open_fay')).toHaveLength(1)
})

test('rejects every request while paused', async () => {
  await world.popup.bringToFront()
  await world.popup.getByLabel('Sending').uncheck()
  expect(await send('open_gus', 'Hi')).toEqual({ success: false, error: EXTENSION_TEXT.PAUSED, code: 'PAUSED' })
  await world.popup.getByLabel('Sending').check()
  expect(await sentTo('open_gus')).toEqual([])
})

test('is unreachable from other sites and rejects unknown requests', async () => {
  const request = { action: 'SEND_TWITTER_DM', data: { twitterHandle: 'open_gus', message: 'Hi' } }
  expect(await world.ask(world.foreign, request)).toEqual({ lost: 'no extension accepts this page' })
  for (const wrong of [{ action: 'DELETE' }, 'hello', { ...request, data: { twitterHandle: 'a b', message: 'Hi' } }])
    expect(await world.ask(world.product, wrong)).toMatchObject({ success: false, code: 'INVALID_REQUEST' })
  expect(await send('open_gus', 'a'.repeat(MESSAGE_LIMIT + 1))).toMatchObject({ code: 'INVALID_REQUEST' })
  expect(await sentTo('open_gus')).toEqual([])
})

test('stops if X has changed its page, until the user has it check again', async () => {
  await world.wear('changed')
  await showExtensionTab()
  const changed = { success: false, error: expect.stringContaining('X has changed its page'), code: 'PAGE_CHANGED' }
  expect(await send('open_hal', 'Hi')).toEqual(changed)
  await world.wear('chat')
  expect(await send('open_hal', 'Hi')).toEqual(changed)
  expect(await world.ask(world.product, { action: 'GET_STATUS' })).toEqual({
    success: true,
    status: {
      version: RELEASE,
      paused: false,
      pageChanged: 'the name on a profile',
      signedInAs: 'ext_sender',
      pairedWith: null,
      sendsInBackground: false,
      // The former name, which older pages read.
      sendsAlone: false,
      activity: { doing: 'nothing' },
    },
  })
  expect(await sentTo('open_hal')).toEqual([])

  await world.popup.bringToFront()
  await world.popup.getByRole('button', { name: 'Check again' }).click()
  expect(await send('open_hal', 'Hi')).toEqual({ success: true })
  expect(await sentTo('open_hal')).toHaveLength(1)
})

test('follows a change of the page with the data that the product serves, without a new version', async () => {
  world.servePages(renamed(shipped.pages))
  // The extension asks for newer data when a part is missing.
  const servedVersion = () =>
    world.popup.evaluate(async () => {
      const { local } = (globalThis as unknown as { chrome: ChromeStorage }).chrome.storage
      await local.set({ pageChanged: { part: 'a part', version: String(Math.random()) } })
      return (await local.get('servedPages')).servedPages?.version
    })
  await expect.poll(servedVersion).toBe(shipped.version + 1)
  await world.wear('changed')
  expect(await send('open_ivy', 'Hi')).toEqual({ success: true })
  expect(await sentTo('open_ivy')).toHaveLength(1)
})

interface ChromeStorage {
  storage: {
    local: {
      set(values: object): Promise<void>
      get(name: string): Promise<{ servedPages?: { version: number } | null }>
    }
  }
}

/** Returns the names in the stand-in's `changed` markup: reversed, except in the navigation. */
function renamed(pages: typeof shipped.pages): typeof shipped.pages {
  const unchanged = ['signedIn', 'ownProfile', 'accountSwitcher', 'signedOut']
  const ends = { '^': '$', $: '^', '*': '*', '': '' } as const
  const rename = (selector: string) =>
    selector.replaceAll(
      /\[data-testid([$^*]?)="([^"]+)"\]/g,
      (_all, end: keyof typeof ends, name: string) => `[data-testid${ends[end]}="${[...name].reverse().join('')}"]`,
    )
  const parts = Object.entries(pages).map(([name, values]) => [
    name,
    unchanged.includes(name) ? values : values.map(rename),
  ])
  return Object.fromEntries(parts)
}
