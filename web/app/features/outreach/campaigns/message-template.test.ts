import { expect, test } from 'vitest'
import { exampleLead, placeholders, previewOf, unknownVariables, writtenPieces } from './message-template'

const lead = { name: 'Ann Lee', firstName: 'Ann', twitterHandle: 'annlee', metadata: { Company: ' Acme ', size: 12 } }
const text = (template: string, who = lead) =>
  previewOf(template, who)
    .map((piece) => piece.text)
    .join('')

test('fills name and handle regardless of case, and adds @ to the handle', () => {
  expect(text('Hi {lead_name}, are you {Twitter_Handle}?')).toBe('Hi Ann Lee, are you @annlee?')
  expect(text('{twitter_handle}', { ...lead, twitterHandle: '@annlee' })).toBe('@annlee')
})

test("replaces a missing name with 'there' or the template's fallback", () => {
  expect(text('Hi {lead_name}!', { ...lead, name: ' ' })).toBe('Hi there!')
  expect(text('Hi {lead_name|friend}!', { ...lead, name: '' })).toBe('Hi friend!')
})

test('fills the first name, and marks what replaces a missing one', () => {
  expect(text('Hi {first_name}, {{first_name}}')).toBe('Hi Ann, Ann')
  expect(previewOf('{first_name}{first_name|friend}', { ...lead, firstName: null })).toEqual([
    { kind: 'missing', text: 'there' },
    { kind: 'missing', text: 'friend' },
  ])
})

test('fills a CSV column, or its fallback if it is empty or not text', () => {
  expect(text('At {company|your team}')).toBe('At Acme')
  expect(text('At {company|your team}', exampleLead as typeof lead)).toBe('At your team')
  expect(text('{size|a few} people')).toBe('a few people')
})

test('reports misspelled variables and columns without a fallback', () => {
  const unknown = unknownVariables('Hi {leadname}, {company} {{nick}} {{name}} {leadname}')
  expect(unknown.map(({ written }) => written)).toEqual(['{leadname}', '{company}', '{{nick}}'])
})

test('treats braces without a name as text', () => {
  expect(previewOf('a {1} b {"c": 1}', lead)).toEqual([{ kind: 'text', text: 'a {1} b {"c": 1}' }])
})

test('separates filled values from text', () => {
  expect(previewOf('Hi {lead_name}!', lead)).toEqual([
    { kind: 'text', text: 'Hi ' },
    { kind: 'filled', text: 'Ann Lee' },
    { kind: 'text', text: '!' },
  ])
  expect(previewOf('', lead)).toEqual([])
})

test('separates missing values from filled ones', () => {
  expect(previewOf('Hi {lead_name} of {company|your team}', exampleLead).map(({ kind, text }) => [kind, text])).toEqual(
    [
      ['text', 'Hi '],
      ['filled', 'Maya Okafor'],
      ['text', ' of '],
      ['missing', 'your team'],
    ],
  )
})

test('offers only known variables', () => {
  for (const placeholder of placeholders) expect(unknownVariables(placeholder.text)).toEqual([])
})

test('splits a template as it is written, so that its variables can be marked', () => {
  const written = 'Hi {lead_name|you}{company|x}, {"a": 1} {{name}} and {compny}.'
  const pieces = writtenPieces(written)
  expect(pieces.map((piece) => piece.text).join('')).toBe(written)
  expect(pieces.filter(({ kind }) => kind !== 'text')).toEqual([
    { kind: 'filled', text: '{lead_name|you}' },
    { kind: 'filled', text: '{company|x}' },
    { kind: 'filled', text: '{{name}}' },
    { kind: 'unknown', text: '{compny}' },
  ])
})
