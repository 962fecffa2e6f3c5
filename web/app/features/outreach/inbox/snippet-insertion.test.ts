import type { Snippet } from '@x-automated/contract/outreach/snippets'
import type { Template } from '@x-automated/contract/outreach/templates'
import { expect, test } from 'vitest'
import {
  matchingSnippets,
  snippetQuery,
  templateInsertions,
  variablesIn,
  withSnippet,
  withValues,
} from './snippet-insertion'

test.each([
  ['/', ''],
  ['Hi Ada, /pri', 'pri'],
  ['https://x.com', null],
  ['and/or', null],
  ['/price ', null],
])('after %j, the query is %j', (before, query) => {
  expect(snippetQuery(before)).toBe(query)
})

const snippet = (shortcut: string, text: string) => ({ id: shortcut, shortcut, text }) as Snippet

test('finds snippets by shortcut, then by text', () => {
  const all = [snippet('demo', 'Our price is on the page.'), snippet('Price', 'It is $39.'), snippet('bye', 'Bye')]
  expect(matchingSnippets(all, 'pri').map(({ id }) => id)).toEqual(['Price', 'demo'])
})

test('replaces the slash and the query, and moves the cursor behind the snippet', () => {
  expect(withSnippet('Hi /pri, bye', 7, 'It is $39.')).toEqual({ text: 'Hi It is $39., bye', cursor: 13 })
})

test("offers the workspace's own templates of one message", () => {
  const variant = { messageTemplate: 'Hi {lead_name}', isActive: true }
  const step = { variants: [{ messageTemplate: 'Retired', isActive: false }, variant] }
  const template = (id: string, more: object) => ({ id, name: `Name of ${id}`, ...more }) as Template
  const insertions = templateInsertions([
    template('own', { isStarter: false, steps: [step] }),
    template('sequence', { isStarter: false, steps: [step, step] }),
    template('starter', { isStarter: true, steps: [step] }),
  ])
  expect(insertions).toEqual([{ id: 'own', shortcut: 'Name of own', text: 'Hi {lead_name}', isTemplate: true }])
  expect(matchingSnippets(insertions, 'name')).toEqual(insertions)
})

const ada = { name: 'Ada', firstName: 'Ada', twitterHandle: 'ada', metadata: { Company: 'Harbor' } }

test.each([
  ['Hi {lead_name} of {company}', 'Hi Ada of Harbor'],
  ['{company|your team}, {role|friend}', 'Harbor, friend'],
  ['{{name}}, see {link} and {{team}}', 'Ada, see {link} and {{team}}'],
  ['{{name}} of {{company}}, {{team}}', 'Ada of Harbor, {{team}}'],
  ['{} {"a": 1}', '{} {"a": 1}'],
])('fills %j as %j', (text, filled) => {
  expect(withValues(text, ada)).toBe(filled)
})

test('finds the variables of a text, but no other braces', () => {
  expect(variablesIn('See {link}, {link} or {company|us}. {1} {"a": 1}')).toEqual(['{link}', '{company|us}'])
})
