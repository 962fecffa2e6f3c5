import { describe, expect, it } from 'vitest'
import { answeredMessage, type OwnMessage, writerOf } from './writers.ts'

describe('writerOf', () => {
  const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 12, minute))
  const row = (more: Partial<OwnMessage>): OwnMessage => ({
    id: 'ours',
    holder: 'extension:Chrome',
    eventId: null,
    claimedAt: at(0),
    endedAt: at(1),
    isClaimed: false,
    isOut: true,
    ...more,
  })
  const open = { endedAt: null, isClaimed: true }
  it.each<[name: string, rows: OwnMessage[], minute: number, writer: string]>([
    ['nobody who messaged them', [], 1, 'owner'],
    ['an extension, from its claim on', [row({})], 0, 'ours'],
    ['an extension, until 2 minutes after its outcome', [row({})], 3, 'ours'],
    ['the owner, after that', [row({})], 4, 'owner'],
    ['the owner, before the claim', [row({})], -1, 'owner'],
    ['an extension whose message explains another one', [row({ eventId: 'chat 1' })], 1, 'owner'],
    ['the first of two that explain none', [row({ eventId: 'chat 1' }), row({ id: 'second' })], 1, 'second'],
    ['an extension that is at work', [row(open)], 1, 'unknown'],
    ['one of ours by the id of the message', [row({ holder: 'worker:1', eventId: '42' })], 99, 'ours'],
    ['one of ours by its identity', [row({ eventId: 'chat 42' })], 99, 'ours'],
    ['the owner, after a worker, whose messages have an id', [row({ holder: 'worker:1', eventId: '7' })], 1, 'owner'],
    ['a worker that has no id yet', [row({ holder: 'worker:1', ...open })], 1, 'unknown'],
    ['the owner: the simulated queue sends nothing', [row({ holder: 'simulated', ...open })], 1, 'owner'],
    ['the owner, while a claim is open that came later', [row({ ...open, claimedAt: at(2) })], 1, 'owner'],
  ])('finds %s', (_, rows, minute, writer) => {
    const result = writerOf(rows, { eventId: 'chat 42', messageId: '42', at: at(minute) })
    expect(typeof result === 'string' ? result : result.id).toBe(writer)
  })
})

describe('answeredMessage', () => {
  const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 12, minute))
  const messages: (Pick<OwnMessage, 'claimedAt' | 'isOut'> & { id: string })[] = [
    { id: 'first', claimedAt: at(0), isOut: true },
    { id: 'second', claimedAt: at(10), isOut: true },
    { id: 'failed', claimedAt: at(20), isOut: false },
    { id: 'waiting', claimedAt: null, isOut: false },
  ]
  it.each([
    [-5, null],
    [0, 'first'],
    [9, 'first'],
    [10, 'second'],
    [30, 'second'],
  ])('picks the last message before minute %i: %s', (minute, id) => {
    expect(answeredMessage(messages, at(minute))?.id ?? null).toBe(id)
    expect(answeredMessage([...messages].reverse(), at(minute))?.id ?? null).toBe(id)
  })
})
