import { expect, test } from 'vitest'
import { languageProblems } from './language.ts'

test('accepts plain English', () => {
  expect(languageProblems('docs/a.md', 'Sends the message again.\nThe rest follows.\n')).toEqual([])
})

test('names the file, the line and the phrase', () => {
  expect(languageProblems('server/src/a.ts', '// Fine.\n// It is thereby sent.\n')).toEqual([
    'server/src/a.ts:2: "thereby" reads like a translation: write "so"',
  ])
})

test('ignores case and matches whole words', () => {
  expect(languageProblems('a.ts', 'Thereby')).toHaveLength(1)
  expect(languageProblems('a.ts', 'otherebyx')).toEqual([])
})
