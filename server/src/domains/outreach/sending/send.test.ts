import { describe, expect, it } from 'vitest'
import { findSentMessage } from './send.ts'

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
  const find = (messages: ReturnType<typeof message>[], text = 'Hi there', known: string[] = []) =>
    findSentMessage(messages, { text, senderId: 'me', since }, new Set(known))?.id ?? null

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
