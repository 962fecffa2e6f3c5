import { parseTemplate, type Recipient, renderTemplate } from '@x-automated/contract/outreach/template'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { backoffSeconds, findSentMessage, withJitter } from './rules.ts'

const ada = { name: 'Ada 🦊', twitterHandle: 'ada', metadata: { Company: 'Analytical Engines', empty: '  ', n: 3 } }

function render(source: string, lead: Recipient = ada): string {
  const parsed = parseTemplate(source)
  if ('unknown' in parsed) throw new Error(`unknown ${parsed.unknown}`)
  return renderTemplate(parsed.template, lead)
}

describe('renderTemplate', () => {
  it.each([
    ['Hi {lead_name}!', 'Hi Ada 🦊!'],
    ['Hi {LEAD_Name}, {Twitter_Handle}', 'Hi Ada 🦊, @ada'],
    ['{ lead_name }', 'Ada 🦊'],
    ['{company|your team}', 'Analytical Engines'],
    ['{COMPANY | your team}', 'Analytical Engines'],
    ['{role| your role }', 'your role'],
    ['{empty|nothing}', 'nothing'],
    ['{n|a number is no text}', 'a number is no text'],
    ['{role|}', ''],
    ['{lead_name|friend}', 'Ada 🦊'],
    ['{{name}} is {{ Handle }}', 'Ada 🦊 is @ada'],
    ['no places', 'no places'],
    ['braces {} { } {1} {"a": 1} }{ stay', 'braces {} { } {1} {"a": 1} }{ stay'],
    ['$1 $& \\n $$', '$1 $& \\n $$'],
    ['', ''],
  ])('renders %j as %j', (source, message) => expect(render(source)).toBe(message))

  it('falls back to "there" if a lead has no name', () => {
    expect(render('Hi {lead_name}', { ...ada, name: ' \t' })).toBe('Hi there')
    expect(render('Hi {lead_name|friend}', { ...ada, name: '' })).toBe('Hi friend')
  })

  it('writes exactly one @ before a handle', () => {
    expect(render('{twitter_handle}', { ...ada, twitterHandle: '@ada' })).toBe('@ada')
  })

  it('does not interpret lead data as a template', () => {
    expect(
      render('{lead_name} {company|x}', { ...ada, name: '{twitter_handle}', metadata: { company: '{lead_name}' } }),
    ).toBe('{twitter_handle} {lead_name}')
  })

  it.each([
    ['Hi {first_name}', '{first_name}'],
    ['{lead_name} {Lead Name}', '{Lead Name}'],
    ['{{lead_name}} {{name}}', '{{lead_name}}'],
    ['{Hi|Hello|Hey} {lead_name}', '{Hi|Hello|Hey}'],
    ['{प्रिय}', '{प्रिय}'],
  ])('rejects %j because of the unknown variable %s', (source, unknown) =>
    expect(parseTemplate(source)).toEqual({ unknown }),
  )

  it('keeps all text around placeholders', () => {
    const words = fc.string({ unit: 'binary' }).map((text) => text.replace(/[{}]/g, ''))
    fc.assert(
      fc.property(fc.array(words, { minLength: 1, maxLength: 6 }), (parts) => {
        expect(render(parts.join('{lead_name}'))).toBe(parts.join('Ada 🦊'))
      }),
    )
  })

  it('never throws for any input', () => {
    const source = fc
      .array(fc.oneof(fc.constantFrom('{', '}', '|', '{{', '}}', 'lead_name', ' '), fc.string()))
      .map((parts) => parts.join(''))
    fc.assert(fc.property(source, (text) => void parseTemplate(text)))
  })
})

describe('intervals', () => {
  it('are lengthened by jitter, never shortened', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 86_400, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (interval, random) => {
          const seconds = withJitter(interval, random)
          expect(seconds).toBeGreaterThanOrEqual(interval)
          expect(seconds).toBeLessThanOrEqual(interval * 1.2 + 1e-9)
        },
      ),
    )
    expect(withJitter(0, 0.7)).toBe(0)
  })

  it('double with every failure, up to five minutes', () => {
    expect([0, 1, 2, 3, 4, 99].map(backoffSeconds)).toEqual([5, 5, 10, 20, 40, 300])
  })
})

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
