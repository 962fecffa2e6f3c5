import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { CHAT_KINDS, type ChatEvent, type ChatKind, encodeEvent, FAILURES } from './chat-events.ts'

// X's own decoder reads what the stand-in encodes.
const xdk = new URL('pkg/', import.meta.resolve('@xdevplatform/chat-xdk'))
const { Chat, initSync } = await import(new URL('chat_xdk_wasm.js', xdk).href)
initSync({ module: readFileSync(new URL('chat_xdk_wasm_bg.wasm', xdk)) })
const chat = new Chat()
chat.setRejectUnverified(false)

const event = (kind: ChatKind, more: Partial<ChatEvent> = {}): ChatEvent => ({
  sequenceId: '2070276095283454999',
  messageId: '3f0a8f6e-0000-4000-8000-000000000001',
  conversation: '11:22',
  from: '22',
  to: '11',
  at: 1_784_928_224_372,
  kind,
  text: 'Hello',
  ...more,
})

test('writes the head of every kind of event as X’s Chat XDK reads it', () => {
  const types: Record<Exclude<ChatKind, 'message'>, string> = {
    keyChange: 'keyChange',
    groupChange: 'groupChange',
    failure: 'failure',
    typing: 'typing',
    deleted: 'messageDeleted',
    settings: 'settingsChange',
    read: 'readReceipt',
    unread: 'markedUnread',
    unknown: 'unknown',
  }
  for (const kind of CHAT_KINDS) {
    if (kind === 'message') continue
    expect(chat.decryptEvent(encodeEvent(event(kind)), null, []), kind).toMatchObject({
      type: types[kind],
      sequenceId: '2070276095283454999',
      id: '3f0a8f6e-0000-4000-8000-000000000001',
      senderId: '22',
      conversationId: '11:22',
      createdAtMsec: 1_784_928_224_372,
    })
  }
})

test('writes messages that need the key of their conversation', () => {
  const read = () => chat.decryptEvent(encodeEvent(event('message')), null, [])
  expect(read).toThrow(/Message encrypted with key version '\d+' but no matching key found/)
})

test('names each reason of a failure with X’s number', () => {
  for (const failure of FAILURES) {
    expect(chat.decryptEvent(encodeEvent(event('failure', { failure })), null, []).failure).toBe(failure)
  }
})

test('names both members and the version in a key change', () => {
  const read = chat.decryptEvent(encodeEvent(event('keyChange')), null, [])
  expect(read.participantKeys.map(({ userId }: { userId: string }) => userId)).toEqual(['22', '11'])
  expect(read.keyVersion).toMatch(/^\d{13}$/)
})

test('encodes an event always to the same bytes', () => {
  expect(encodeEvent(event('message'))).toBe(encodeEvent(event('message')))
  expect(encodeEvent(event('message', { text: 'Hi' }))).not.toBe(encodeEvent(event('message')))
})
