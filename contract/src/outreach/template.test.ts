import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fillSegment, leftoverIn, parseTemplate, type Recipient, readWritten, unknownText } from './template.ts'

const ada = {
  name: 'Ada 🦊',
  firstName: 'Ada',
  twitterHandle: 'ada',
  metadata: { Company: 'Analytical Engines', empty: '  ', n: 3 },
}

function render(source: string, lead: Recipient = ada): string {
  const parsed = parseTemplate(source)
  if ('unknown' in parsed) throw new Error(unknownText(parsed.unknown))
  return parsed.template.map((segment) => fillSegment(segment, lead)).join('')
}

describe('fillSegment', () => {
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
    ['Hi {first_name}, {{first_name}}, {{ FIRST_NAME | friend }}', 'Hi Ada, Ada, Ada'],
    ['{First Name} {firstname|friend} {first-name}', 'Ada Ada Ada'],
    ['{{name}} is {{ Handle }}', 'Ada 🦊 is @ada'],
    ['{name|friend} is {handle}', 'Ada 🦊 is @ada'],
    ['{{lead_name}} {{lead_name|friend}} {{twitter_handle}}', 'Ada 🦊 Ada 🦊 @ada'],
    ['Hi {{role|friend}} of {{ company | us }}', 'Hi friend of Analytical Engines'],
    ['$ {price|100} for 100% [of] the <b> *day*, I <3 it', '$ 100 for 100% [of] the <b> *day*, I <3 it'],
    ['no places', 'no places'],
    ['braces {1} {"a": 1} }{ stay', 'braces {1} {"a": 1} }{ stay'],
    [
      '{"key"} (your name) @name@social.example, a||b **name**',
      '{"key"} (your name) @name@social.example, a||b **name**',
    ],
    ['{1} {lead_name} {"a": 1} name {2}', '{1} Ada 🦊 {"a": 1} name {2}'],
    [
      'your (name), $nameless, 5:30, a::b, __init__, ~ish, #name',
      'your (name), $nameless, 5:30, a::b, __init__, ~ish, #name',
    ],
    ['\u0024{price|100} #{topic|growth} Me&{name}', '$100 #growth Me&Ada 🦊'],
    // A single @, and no invisible characters in a variable
    ['@{twitter_handle} ＠{handle}', '@ada @ada'],
    ['Hi {lead\u200b_name}, {\u2060na\u200dme\u00ad}\u200f!', 'Hi Ada 🦊, Ada 🦊\u200f!'],
    ['👩\u200d💻 {ro\u200ble|می\u200cروم}', '👩\u200d💻 می\u200cروم'],
    ['{lead_name}, choose a} or b}', 'Ada 🦊, choose a} or b}'],
    ['$1 $& \\n $$', '$1 $& \\n $$'],
    ['', ''],
  ])('renders %j as %j', (source, message) => expect(render(source)).toBe(message))

  it('falls back to "there" if a lead has no name', () => {
    expect(render('Hi {lead_name}', { ...ada, name: ' \t' })).toBe('Hi there')
    expect(render('Hi {lead_name|friend}', { ...ada, name: '' })).toBe('Hi friend')
  })

  it('falls back to "there" if a lead has no first name, even if it has a name', () => {
    const nobody = { ...ada, firstName: null }
    expect(render('Hi {first_name}', nobody)).toBe('Hi there')
    expect(render('Hi {{first_name|friend}}', nobody)).toBe('Hi friend')
    expect(render('Hi{first_name|}', { ...ada, firstName: ' ' })).toBe('Hi')
  })

  it('writes exactly one @ before a handle', () => {
    expect(render('{twitter_handle}', { ...ada, twitterHandle: '@ada' })).toBe('@ada')
  })

  it('does not interpret lead data as a template', () => {
    expect(
      render('{lead_name} {first_name} {company|x}', {
        ...ada,
        name: '{twitter_handle}',
        firstName: '{name}',
        metadata: { company: '{lead_name}' },
      }),
    ).toBe('(twitter_handle) (name) (lead_name)')
  })

  it.each<readonly [string, string, string | null]>([
    ['Hi {last_name}', '{last_name}', '{lead_name}'],
    ['{lead_name} {Lead Name}', '{Lead Name}', '{lead_name}'],
    ['{leadName}', '{leadName}', '{lead_name}'],
    ['{username}', '{username}', '{twitter_handle}'],
    ['{{screenName}}', '{{screenName}}', '{twitter_handle}'],
    ['{FNAME}', '{FNAME}', '{first_name}'],
    ['{contact.firstName}', '{contact.firstName}', '{first_name}'],
    ['{{ customer_name }}', '{{ customer_name }}', '{lead_name}'],
    ['{your name}', '{your name}', null],
    ['{{company}} {{name}}', '{{company}}', null],
    ['{Hi|Hello|Hey} {lead_name}', '{Hi|Hello|Hey}', null],
    ['{प्रिय}', '{प्रिय}', null],
    ['{{nick}} {{name}}', '{{nick}}', null],
    // Braces that do not match, or that have another meaning
    ['Hi {{{name}}}', '{{{name}}}', '{lead_name}'],
    ['Hi {lead_name}}', '{lead_name}}', '{lead_name}'],
    ['Hi {{lead_name}, you', '{{lead_name}', '{lead_name}'],
    ['Hi {{{company|you}', '{{{company|you}', '{company|you}'],
    ['Hi {{ {name} }}', '{{ {name} }}', '{lead_name}'],
    ['{company|{lead_name}}', '{company|', '{company|your text}'],
    ['Hi {lead_name, of {company|us}', '{lead_name', '{lead_name}'],
    ['{hello {lead_name} there}', '{hello {lead_name}', '{lead_name}'],
    ['Hi {lead_name} }', '{lead_name} }', '{lead_name}'],
    ['Hi {lead_name', '{lead_name', '{lead_name}'],
    ['Hi lead_name }, you', 'lead_name }', '{lead_name}'],
    ['Hi ｛lead_name｝', '｛lead_name', '{lead_name}'],
    ['Hi name|friend}', 'name|friend}', '{lead_name|friend}'],
    ['At company|your team}', 'company|your team}', '{company|your team}'],
    ['At {company|your team', '{company|your team', '{company|your team}'],
    ['{{#if name}}Hi{{/if}}', '{{#if name}}', null],
    // Marks between the braces and the name
    ...['**', '"', "'", '*', '-', '!', '=', '“', '~', '`', '- '].map(
      (mark) => [`Hi {${mark}lead_name${mark}}`, `{${mark}lead_name${mark}}`, '{lead_name}'] as const,
    ),
    ['{(name)}', '{(name)}', '{lead_name}'],
    ['{[first name]}', '{[first name]}', '{first_name}'],
    ['{1name}', '{1name}', '{lead_name}'],
    ['Hi {"name', '{"name', '{lead_name}'],
    ['Hi {name!}', '{name', '{lead_name}'],
    ['Hi {{{{', '{{{{', null],
    ['Hi }}', '}}', null],
    // Placeholders of other tools
    ['|*NAME*|', '|*NAME*|', '{lead_name}'],
    ['@@name@@', '@@name@@', '{lead_name}'],
    ['%recipient.name%', '%recipient.name%', '{lead_name}'],
    ['%recipient.first_name%', '%recipient.first_name%', '{first_name}'],
    ['\u0024(name)', '\u0024(name)', '{lead_name}'],
    ['[your name]', '[your name]', null],
    ['Best, <Your Company>', '<Your Company>', null],
    ["Hi [lead's first name]", "[lead's first name]", '{first_name}'],
    ['Hi [insert name]', '[insert name]', null],
    ['Hi [[name]]', '[[name]]', '{lead_name}'],
    ['Hi *|FNAME|*', '*|FNAME|*', '{first_name}'],
    ['Hi <%= name %>', '<%= name %>', '{lead_name}'],
    ['{% if name %}Hi', '{% if name %}', null],
    ['Hi [First Name]', '[First Name]', '{first_name}'],
    ['Hi %FIRSTNAME%', '%FIRSTNAME%', '{first_name}'],
    ['Hi %%name%%', '%%name%%', '{lead_name}'],
    ['Hi <<handle>>', '<<handle>>', '{twitter_handle}'],
    ['Hi <username>', '<username>', '{twitter_handle}'],
    ['At [Company]', '[Company]', '{Company|your text}'],
    ['Hi {{name | default: "friend"}}', '{{name | default: "friend"}}', '{lead_name|friend}'],
    ["{{ company|default('us') }}", "{{ company|default('us') }}", '{company|us}'],
    ['{{ first_name | capitalize }}', '{{ first_name | capitalize }}', '{first_name}'],
    ['\u0024{name}', '\u0024{name}', '{lead_name}'],
    ['\u0024{company|us}', '\u0024{company|us}', '{company|us}'],
    ['#{name}', '#{name}', '{lead_name}'],
    ['Hi &{{name}}', '&{{name}}', '{lead_name}'],
    ['@{lead_name}', '@{lead_name}', '{twitter_handle}'],
    ['@{first_name}', '@{first_name}', '{twitter_handle}'],
    ['Hi {{{first_name|you}}}', '{{{first_name|you}}}', '{first_name|you}'],
    ['Hi $first_name,', '$first_name', '{first_name}'],
    ['::name::', '::name::', '{lead_name}'],
    ['((name))', '((name))', '{lead_name}'],
    ['~handle~', '~handle~', '{twitter_handle}'],
    ['__name__', '__name__', '{lead_name}'],
    ['%(name)s', '%(name)s', '{lead_name}'],
    ['Hi ｛first_name｝', '｛first_name', '{first_name}'],
    // Without a name
    ['{}', '{}', null],
    ['Hi {{ }}', '{{ }}', null],
    ['{|x}', '{|x}', null],
    ['{👋|🙂}', '{👋|🙂}', null],
    // Hidden by invisible characters
    ['Hi {lead_\u200bname', '{lead_name', '{lead_name}'],
    ['{name}\u200b}', '{name}}', '{lead_name}'],
    ['[[na\u200bme]]', '[[name]]', '{lead_name}'],
  ])('rejects %j because of %s, and says what to write', (source, written, instead) => {
    expect(parseTemplate(source)).toEqual({ unknown: { kind: 'unknown', written, instead } })
    if (instead) expect(render(instead)).not.toContain('{')
  })

  it('never sends what it would reject or fill', () => {
    const part = fc.constantFrom(
      ...['{', '}', '{{', '}}', '|', 'name', 'company', ' ', '1', '\u200b', '@', '{lead_name}', '{company|us}'],
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 10 }), (parts) => {
        const source = parts.join('')
        expect(
          readWritten(source)
            .map(({ written }) => written)
            .join(''),
        ).toBe(source)
        const parsed = parseTemplate(source)
        if ('template' in parsed) expect(leftoverIn(render(source))).toBeNull()
      }),
      { numRuns: 2_000 },
    )
  })

  it('does not take a value for the fallback of a variable', () => {
    expect(leftoverIn(render('name|{company|us}1}'))).toBeNull()
  })

  it('finds what a message would show of a variable', () => {
    expect(['Hi {friend}', 'Hi {lead_name', 'braces {1} {"a": 1}', 'Hi [[name]]'].map(leftoverIn)).toEqual([
      '{friend}',
      '{lead_name',
      null,
      null,
    ])
  })

  it('reads the longest message in milliseconds', () => {
    for (const text of [
      '{',
      '}',
      '{{name',
      '{ ',
      'name ',
      '[[',
      '<%',
      '{a|',
      '$',
      '::',
      '{(',
      '{"name',
      'name!',
      '[your ',
      '$(',
      '|*',
      '__',
      '@{',
      '\u200b',
    ].map((some) => some.repeat(10_000 / some.length))) {
      const began = performance.now()
      readWritten(text)
      expect(performance.now() - began, text.slice(0, 9)).toBeLessThan(200)
    }
  })

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
