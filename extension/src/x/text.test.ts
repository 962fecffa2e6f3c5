import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { handleIn, idInName, isHandle, isWritten, readsAs } from './text.ts'

describe('readsAs', () => {
  test.each([
    ['identical text', 'Hi Ada', 'Hi Ada'],
    ['other white space', 'Hi  Ada\nhow are you? ', 'Hi Ada how are you?'],
    ['an emoji without its variation selector', 'I ❤️ it', 'I ❤ it'],
    ['a shortened URL', 'See example.com/a/rather/lon… now', 'See https://www.example.com/a/rather/long/path now'],
    ['a URL without its scheme at the end', 'See example.com', 'See https://example.com'],
    ['a URL in other case', 'HTTPS://www.Example.com/A', 'https://Example.com/A'],
    ['text whose link became an embedded post', 'Loved this:', 'Loved this: https://x.com/ada/status/1'],
    ['a URL alone', 'example.com/x', 'https://example.com/x'],
    ['special characters of regular expressions', 'a.b*c(d) [e] {f} $1 ^|\\ /', 'a.b*c(d) [e] {f} $1 ^|\\ /'],
  ])('matches %s', (_how, displayed, message) => {
    expect(readsAs(displayed, message)).toBe(true)
  })

  test.each([
    ['another message', 'Hi Bob', 'Hi Ada'],
    ['more than the message', 'Hi Ada and Bob', 'Hi Ada'],
    ['less than the message', 'Hi', 'Hi Ada'],
    ['a dot as a wildcard', 'abc', 'a.c'],
    ['other words around a URL', 'Look example.com', 'See https://example.com'],
    ['another URL', 'evil.test', 'https://example.com'],
    ['any text for a URL alone', 'Who is this?', 'https://example.com/x'],
    ['empty text', '', 'https://example.com'],
  ])('does not match %s', (_what, displayed, message) => {
    expect(readsAs(displayed, message)).toBe(false)
  })

  test('matches any text without a URL to itself', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => readsAs(text, text)))
  })
})

test("compares the composer's text exactly, except for white space", () => {
  expect(isWritten('Hi\n\nAda', 'Hi\nAda')).toBe(true)
  expect(isWritten('Hi Ad', 'Hi Ada')).toBe(false)
  expect(isWritten('example.com', 'https://example.com')).toBe(false)
})

test("reads ids and handles from X's element names", () => {
  for (const end of ['follow', 'unfollow', 'cancel', 'unblock', 'subscribe']) expect(idInName(`123-${end}`)).toBe('123')
  for (const name of [undefined, '', 'follow', 'x123-follow', '123-', '123']) expect(idInName(name)).toBeNull()
  expect(handleIn('Ada Lovelace @ada_1')).toBe('ada_1')
  expect(handleIn('Ada')).toBeNull()
  expect(isHandle('Ada', 'aDA')).toBe(true)
  expect(isHandle(null, 'ada')).toBe(false)
})
