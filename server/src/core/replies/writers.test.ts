import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { answeredMessage, asksToStop, type OwnMessage, writerOf } from './writers.ts'

const WORDS = ['stop', 'unsubscribe', 'opt out', 'opt-out', 'remove me', "don't contact"]

describe('asksToStop', () => {
  it.each([
    'STOP',
    'stop.',
    'Please stop messaging me.',
    'Unsubscribe',
    'Not interested, remove me from your list',
    'Opt out!',
    'opt-out pls',
    'Don’t contact me again',
    'ＳＴＯＰ',
    '🛑 stop 🛑',
    'I can’t stop you, but please stop',
  ])('returns true for %j', (text) => {
    expect(asksToStop(text, WORDS)).toBe(true)
  })

  it.each([
    '',
    'Sounds great, tell me more',
    'a non-stop flight',
    'unstoppable',
    'stopped by',
    "I can't stop reading this",
    'out opt',
  ])('returns false for %j', (text) => {
    expect(asksToStop(text, WORDS)).toBe(false)
  })

  it("uses a workspace's own words in any script and ignores empty ones", () => {
    expect(asksToStop('Bitte nicht mehr schreiben!', ['nicht mehr schreiben'])).toBe(true)
    expect(asksToStop('もういい', ['もういい'])).toBe(true)
    expect(asksToStop('stop', ['aufhören', '', '!!'])).toBe(false)
  })

  it('finds a word at any position', () => {
    const filler = fc.array(fc.constantFrom('hello', 'thanks', 'so', '😀', 'much', '-', '!'))
    fc.assert(
      fc.property(filler, fc.constantFrom(...WORDS), filler, (before, word, after) =>
        asksToStop([...before, word.toUpperCase(), ...after].join(' '), WORDS),
      ),
    )
  })
})

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
