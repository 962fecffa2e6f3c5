import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { answeredMessage, asksToStop, type OwnMessage } from './rules.ts'

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

describe('answeredMessage', () => {
  const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 12, minute))
  const messages: OwnMessage[] = [
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
