import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeChatEvent } from '../../test/chat-event.ts'
import { readEnvelope } from './x-chat-envelope.ts'

const HEAD = {
  sequenceId: '2080400825227100160',
  messageId: 'e4f4d3fc-8bbf-4928-92eb-e5058d6bb6f6',
  senderId: '2222222222222222222',
  conversationId: '1111111111111111111:2222222222222222222',
  createdAtMsec: '1784841183370',
}
const READ = {
  sequenceId: HEAD.sequenceId,
  messageId: HEAD.messageId,
  senderId: HEAD.senderId,
  conversationId: HEAD.conversationId,
  at: new Date(1_784_841_183_370),
}
const NOTHING = { sequenceId: null, messageId: null, senderId: null, conversationId: null, at: null, kind: 'unknown' }

describe('the head of an event of X Chat', () => {
  it("is a struct in Thrift's binary protocol", () => {
    const text = (field: number, value: string) => [11, 0, field, 0, 0, 0, value.length, ...Buffer.from(value)]
    const bytes = [...text(1, '42'), 8, 0, 99, 0, 0, 0, 7, ...text(2, 'm-1'), 12, 0, 7, 12, 0, 1, 0, 0, 0]
    expect(readEnvelope(Buffer.from(bytes).toString('base64'))).toEqual({
      ...NOTHING,
      sequenceId: '42',
      messageId: 'm-1',
      kind: 'message',
    })
  })
  it.each([
    [1, 'message'],
    [3, 'other'],
    [4, 'other'],
    [5, 'other'],
    [6, 'other'],
    [7, 'other'],
    [8, 'other'],
    [9, 'other'],
    [10, 'other'],
    [12, 'other'],
    [13, 'other'],
    [14, 'other'],
    [2, 'unknown'],
    [11, 'unknown'],
    [15, 'unknown'],
    [null, 'unknown'],
  ])('with detail %s is of kind %s', (detail, kind) => {
    expect(readEnvelope(encodeChatEvent({ ...HEAD, detail }))).toEqual({ ...READ, kind })
  })
  it('is read with or without padding, in both alphabets, and before a long text', () => {
    const long = encodeChatEvent({ ...HEAD, detail: 1, contents: 'x'.repeat(100_000) })
    for (const encoded of [
      encodeChatEvent({ ...HEAD, detail: 1 }).replace(/=+$/, ''),
      Buffer.from(encodeChatEvent({ ...HEAD, detail: 1 }), 'base64').toString('base64url'),
      long,
    ])
      expect(readEnvelope(encoded)).toEqual({ ...READ, kind: 'message' })
  })
  it('has no values that are no ids', () => {
    const odd = { sequenceId: 'x', messageId: 'a b', senderId: '-1', conversationId: '<b>', createdAtMsec: 'soon' }
    expect(readEnvelope(encodeChatEvent({ ...odd, detail: 1 }))).toEqual({ ...NOTHING, kind: 'message' })
  })
  it('is unknown and never an error if it is cut off or changed anywhere', () => {
    const bytes = Buffer.from(encodeChatEvent({ ...HEAD, detail: 1 }), 'base64')
    for (let length = 0; length < bytes.length; length += 1) {
      const { sequenceId } = readEnvelope(bytes.subarray(0, length).toString('base64'))
      expect([null, HEAD.sequenceId]).toContain(sequenceId)
    }
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.nat(255), (at, byte) => {
        const changed = Buffer.from(bytes)
        changed[at] = byte
        expect(['message', 'other', 'unknown']).toContain(readEnvelope(changed.toString('base64')).kind)
      }),
      { numRuns: 300 },
    )
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String()), (text) => {
        readEnvelope(text)
      }),
      { numRuns: 300 },
    )
  })
  it.each(['', 'not base64!!', 'e30=', Buffer.from([11, 0, 1, 0x7f, 255, 255, 255]).toString('base64')])(
    'is empty for %j',
    (text) => {
      expect(readEnvelope(text)).toEqual(NOTHING)
    },
  )
})
