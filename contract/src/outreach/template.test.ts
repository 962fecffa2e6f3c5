import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseTemplate, type Recipient, renderTemplate } from './template.ts'

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
    ['{{nick}} {{name}}', '{{nick}}'],
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
