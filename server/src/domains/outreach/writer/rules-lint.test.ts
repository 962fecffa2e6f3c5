import { expect, it } from 'vitest'
import { lint } from './lint.ts'

const codesOf = (text: string) => lint(text, []).map(({ code }) => code)

it('finds nothing wrong with a short question', () => {
  expect(lint('Hi {lead_name}, what are you working on?', [])).toEqual([])
  expect(lint('', [])).toEqual([])
})

it.each([
  ['link', 'See https://a.example for more?'],
  ['no_question', 'Hello there.'],
  ['many_questions', 'How are you? What is new?'],
  ['capitals', 'This is AMAZING, right?'],
  ['no_fallback', 'Do you still work at {company}?'],
  ['unknown_variable', 'Do you work, {{nick}}?'],
  ['long', `${'Short words here. '.repeat(28)}Right?`],
  ['too_long', `${'Short words here. '.repeat(600)}Right?`],
  ['hard_to_read', `${'word '.repeat(40)}, right?`],
])('finds %s', (code, text) => {
  expect(codesOf(text)).toContain(code)
})

it('names the place of a problem', () => {
  const text = 'Hi {company}, ok?'
  expect(lint(text, [])).toEqual([{ code: 'no_fallback', params: { written: '{company}' }, start: 3, end: 12 }])
})

it('finds a message that is almost the same as an earlier one', () => {
  const messageTemplate = 'Hi {lead_name}, I follow what you share and wanted to ask how you find new clients?'
  const earlier = [{ campaign: 'Spring', messageTemplate }]
  expect(lint(messageTemplate.replace('new clients', 'new customers'), earlier)).toMatchObject([
    { code: 'similar', params: { campaign: 'Spring' } },
  ])
  expect(lint('What are you working on these days, and how is it going so far?', earlier)).toEqual([])
})

it('reads a long text without keeping others waiting', () => {
  const before = performance.now()
  lint('a-'.repeat(30_000), [])
  expect(performance.now() - before).toBeLessThan(1_500)
})
