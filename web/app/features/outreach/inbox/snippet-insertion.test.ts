import type { Snippet } from '@x-automated/contract/outreach/snippets'
import { expect, test } from 'vitest'
import { matchingSnippets, snippetQuery, withSnippet } from './snippet-insertion'

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
