import { beforeAll, beforeEach, expect, test } from 'vitest'
import { type ExtensionWorld, openExtensionWorld } from '../extension-world.ts'
import { messagesAtX } from '../world.ts'

let world: ExtensionWorld
beforeAll(async () => {
  world = await openExtensionWorld()
  await world.signInToX('ext_sender')
})
beforeEach(async () => {
  await world.faults([])
  await world.wear('classic')
})

const dm = (twitterHandle: string, message: string, requestId?: string) => {
  return { action: 'SEND_TWITTER_DM', data: { twitterHandle, message, requestId } } as const
}
const sentTo = async (handle: string) =>
  (await messagesAtX(world.x)).filter(({ to }) => to === handle).map(({ from, text }) => ({ from, text }))

test('a message with lines, an emoji and a link goes out once, and success says that it stands there', async () => {
  const message =
    'Hi Ada 🙂, seen @open_ada on X.\n\nMore at https://www.example.com/a/rather/long/path?with=query – ok?'
  expect(await world.ask(world.product, dm('@open_ada', message))).toEqual({ success: true })
  expect(await sentTo('open_ada')).toEqual([{ from: 'ext_sender', text: message }])
})

test('X’s chat of today is known too', async () => {
  await world.wear('chat')
  expect(await world.ask(world.product, dm('open_bob', 'Hello\nBob 🙂'))).toEqual({ success: true })
  expect(await sentTo('open_bob')).toEqual([{ from: 'ext_sender', text: 'Hello\nBob 🙂' }])
})
