import { describe, expect, it } from 'vitest'
import { lint, remarksOf } from './lint'

const texts = (message: string, earlier: { label: string; text: string }[] = []) =>
  lint(message, earlier).map(({ tone, text }) => `${tone}: ${text}`)

describe('lint', () => {
  it('says nothing about an empty message', () => {
    expect(texts('  ')).toEqual([])
  })

  it('says nothing about a good message', () => {
    expect(texts('Hi {lead_name}, want to see it?')).toEqual([])
  })

  it('says where X ends a message that is too long', () => {
    expect(texts(`Hi? ${'x'.repeat(10_000)}`)).toEqual(['bad: X accepts at most 10,000 characters.'])
  })

  it('warns of a long message and of a text that was used before', () => {
    const long = `See https://example.com ${'x'.repeat(1_000)}`
    expect(texts(long, [{ label: 'step 1', text: `${long} ` }])).toEqual([
      'warn: 1,024 characters: long for a direct message',
      'warn: Same text as step 1',
    ])
  })

  it('warns of a variable without its closing brace', () => {
    expect(texts('Hi, how is {team').at(-1)).toBe('warn: {team has no closing brace. It is sent as written.')
    expect(texts('Hi, how is {company').at(-1)).toBe('bad: Unknown variable: {company. Write {company|your text}.')
    expect(texts('Hi {lead_name} :-{ {!} {"a": 1}')).not.toContainEqual(expect.stringMatching(/closing/))
  })

  it('names unknown variables', () => {
    expect(texts('Hi {compny}').at(-1)).toMatch(/^bad: Unknown variable: \{compny\}\. Use one of those under “Insert”/)
    expect(texts('Hi {lead_name, how is {company|your team}?').at(-1)).toBe(
      'bad: Unknown variable: {lead_name. Write {lead_name}.',
    )
    expect(texts('Hi [[name]]').at(-1)).toBe('bad: Unknown variable: [[name]]. Write {lead_name}.')
  })
})

describe('remarksOf', () => {
  it('points to the range of a problem that the server found, and repeats nothing', () => {
    const link = { code: 'link', params: {}, start: 4, end: 9 } as const
    const long = { code: 'long', params: { length: 700 }, start: 600, end: 700 } as const
    expect(remarksOf([link, long])).toEqual([expect.objectContaining({ tone: 'warn', range: { start: 4, end: 9 } })])
  })
})
