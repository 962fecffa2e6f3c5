import { expect, test } from 'vitest'
import { exampleLead, placeholders, previewOf, unknownPlaceholders } from './message-template'

const lead = { name: 'Ann Lee', twitterHandle: 'annlee', metadata: { Company: ' Acme ', size: 12 } }
const text = (template: string, who = lead) =>
  previewOf(template, who)
    .map((piece) => piece.text)
    .join('')

test('the name and the handle are filled, whatever their case, the handle with its @', () => {
  expect(text('Hi {lead_name}, are you {Twitter_Handle}?')).toBe('Hi Ann Lee, are you @annlee?')
  expect(text('{twitter_handle}', { ...lead, twitterHandle: '@annlee' })).toBe('@annlee')
})

test("a missing name becomes 'there', or the template's own fallback", () => {
  expect(text('Hi {lead_name}!', { ...lead, name: ' ' })).toBe('Hi there!')
  expect(text('Hi {lead_name|friend}!', { ...lead, name: '' })).toBe('Hi friend!')
})

test('a column of the file is filled, and its fallback where it is empty or no text', () => {
  expect(text('At {company|your team}')).toBe('At Acme')
  expect(text('At {company|your team}', exampleLead as typeof lead)).toBe('At your team')
  expect(text('{size|a few} people')).toBe('a few people')
})

test('what nothing fills is pointed out: a misspelt place, a column without a fallback, the places of the messenger', () => {
  expect(unknownPlaceholders('Hi {leadname}, {company} {{name}} {leadname}')).toEqual([
    '{leadname}',
    '{company}',
    '{{name}}',
  ])
})

test('braces that hold no name are words', () => {
  expect(previewOf('a {} b {"c": 1}', lead)).toEqual([{ kind: 'words', text: 'a {} b {"c": 1}' }])
})

test('the pieces tell what was filled from what was written', () => {
  expect(previewOf('Hi {lead_name}!', lead)).toEqual([
    { kind: 'words', text: 'Hi ' },
    { kind: 'filled', text: 'Ann Lee' },
    { kind: 'words', text: '!' },
  ])
  expect(previewOf('', lead)).toEqual([])
})

test('what a lead has no value for is told from what it fills', () => {
  expect(previewOf('Hi {lead_name} of {company|your team}', exampleLead).map(({ kind, text }) => [kind, text])).toEqual(
    [
      ['words', 'Hi '],
      ['filled', 'Maya Okafor'],
      ['words', ' of '],
      ['missing', 'your team'],
    ],
  )
})

test('every place that is offered is one that is known', () => {
  for (const place of placeholders) expect(unknownPlaceholders(place.text)).toEqual([])
})
