import { describe, expect, it } from 'vitest'
import { findSentMessage, isSameText, readingOf } from './find.ts'

describe('findSentMessage', () => {
  const since = new Date('2026-11-20T12:00:00Z')
  const at = (seconds: number) => new Date(since.getTime() + seconds * 1000)
  const message = (id: string, text: string, more: { senderId?: string; at?: Date } = {}) => ({
    id,
    text,
    senderId: 'me',
    at: at(1),
    ...more,
  })
  const find = (messages: ReturnType<typeof message>[], text = 'Hi there', recordedIds: string[] = []) =>
    findSentMessage(messages, { text, senderId: 'me', since }, new Set(recordedIds))?.id ?? null

  it('finds a message from our account with our text', () => {
    expect(find([message('2', 'Hi you'), message('1', 'Hi there')])).toBe('1')
    expect(find([message('1', 'Hi there', { senderId: 'them' })])).toBeNull()
    expect(find([])).toBeNull()
  })

  it('ignores messages older than the first attempt, with tolerance for clock skew', () => {
    expect(find([message('1', 'Hi there', { at: at(-20) })])).toBe('1')
    expect(find([message('1', 'Hi there', { at: at(-40) })])).toBeNull()
  })

  it('ignores messages that are recorded for another row', () => {
    expect(find([message('2', 'Hi there'), message('1', 'Hi there')], 'Hi there', ['1'])).toBe('2')
    expect(find([message('1', 'Hi there')], 'Hi there', ['1'])).toBeNull()
  })

  it.each([
    ['See https://example.com/a?b=1 now', 'See https://t.co/Xy12 now'],
    ['See example.com.', 'See https://t.co/Xy12.'],
    ['Q&A <soon>', 'Q&amp;A &lt;soon&gt;'],
    ['Zoe\u0308', 'Zoë'],
    ['two  lines\r\n', 'two lines'],
  ])('matches %j if X returns %j', (sent, stored) => expect(find([message('1', stored)], sent)).toBe('1'))
})

describe('isSameText', () => {
  const link = (url: string, expandedUrl: string) => ({ url, expandedUrl })
  it.each([
    ['See acme.com/x.', 'See https://t.co/1.', [link('https://t.co/1', 'http://acme.com/x')], true],
    ['See https://ACME.com', 'See https://t.co/1', [link('https://t.co/1', 'https://acme.com/')], true],
    [
      'See https://ex\u00E4mple.de/\u00FC',
      'See https://t.co/1',
      [link('https://t.co/1', 'https://xn--exmple-cua.de/%C3%BC')],
      true,
    ],
    ['See acme.com/x', 'See https://t.co/1', [link('https://t.co/1', 'https://acme.com/y')], false],
    ['See acme.com/x', 'See https://t.co/1', [], true],
    ['a.example b.example', 'https://t.co/1 https://t.co/2', [link('https://t.co/2', 'https://b.example')], true],
    ['1 < 2 &amp; \u201Cyes\u201D', '1 &lt; 2 &amp;amp; \u201Cyes\u201D', [], true],
    ["It's &#65;", 'It&#39;s A', [], true],
    ['Hi', 'Hi\u200B\uFEFF', [], true],
    ['\u{1F469}\u{1F3FE}\u200D\u{1F4BB}', '\u{1F469}\u{1F4BB}', [], true],
    ['Hi', 'Hi!', [], false],
    ['Hi', '', [], false],
  ])('compares %j with %j at X (%j): %s', (text, textAtX, links, isSame) =>
    expect(isSameText(text, { text: textAtX, links })).toBe(isSame),
  )

  it('is quick with texts that look like links', () => {
    const text = 'a.'.repeat(5_000)
    expect(isSameText(text, { text })).toBe(true)
  })
})

describe('readingOf', () => {
  const since = new Date('2026-11-20T12:00:00Z')
  const sent = { text: 'Hi there', senderId: 'me', since }
  const message = (id: string, seconds: number, text = 'Other', senderId = 'them') => ({
    id,
    text,
    senderId,
    at: new Date(since.getTime() + seconds * 1_000),
  })
  const read = (messages: ReturnType<typeof message>[], recorded: [string, boolean][] = [], isEmpty = false) =>
    readingOf({ messages, isEmpty }, sent, new Map(recorded)).kind

  it.each([
    ['it is there', [message('2', 1, 'Hi there', 'me'), message('1', -60)], [], 'found'],
    ['it is there, in another order', [message('1', -60), message('2', 1, 'Hi there', 'me')], [], 'found'],
    ['an older message ends the list', [message('2', 5), message('1', -60)], [], 'absent'],
    ['messages are in another order', [message('1', -60), message('2', 5)], [], 'uncertain'],
    ['all messages are newer', [message('2', 5), message('1', 1)], [], 'uncertain'],
    ['the oldest may be newer, because clocks differ', [message('1', -20)], [], 'uncertain'],
    ['the oldest is ours and earlier', [message('1', -20, 'Before', 'me')], [['1', true]], 'absent'],
    ['the oldest is ours and later', [message('1', 5, 'After', 'me')], [['1', false]], 'uncertain'],
    ['a message of ours is unexplained', [message('2', 5, 'What?', 'me'), message('1', -60)], [], 'uncertain'],
    ['the others of ours are known', [message('2', 5, 'What?', 'me'), message('1', -60)], [['2', false]], 'absent'],
    [
      'the same text belongs to another row',
      [message('2', 5, 'Hi there', 'me'), message('1', -60)],
      [['2', false]],
      'absent',
    ],
    ['there is nothing', [], [], 'uncertain'],
  ] as const)('if %s', (_, messages, recorded, kind) =>
    expect(
      read(
        [...messages],
        recorded.map(([id, is]) => [id, is]),
      ),
    ).toBe(kind),
  )

  it('shows that it is absent from a conversation that X says is empty', () =>
    expect(read([], [], true)).toBe('absent'))
})
