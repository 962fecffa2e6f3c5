import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { handleIn, idInFollowName, isHandle, isWritten, readsAs } from './text.ts'

describe('what stands in a conversation reads as a message', () => {
  test.each([
    ['as it is', 'Hi Ada', 'Hi Ada'],
    ['with other white space', 'Hi  Ada\nhow are you? ', 'Hi Ada how are you?'],
    ['with an emoji in its other spelling', 'I ❤️ it', 'I ❤ it'],
    [
      'with an address cut short',
      'See example.com/a/rather/lon… now',
      'See https://www.example.com/a/rather/long/path now',
    ],
    ['with an address at its end', 'See example.com', 'See https://example.com'],
    ['with its scheme and capitals', 'HTTPS://www.Example.com/A', 'https://Example.com/A'],
    ['without the link to a post, which became the post', 'Loved this:', 'Loved this: https://x.com/ada/status/1'],
    ['an address alone', 'example.com/x', 'https://example.com/x'],
    ['with signs that mean something elsewhere', 'a.b*c(d) [e] {f} $1 ^|\\ /', 'a.b*c(d) [e] {f} $1 ^|\\ /'],
  ])('%s', (_how, shown, message) => {
    expect(readsAs(shown, message)).toBe(true)
  })

  test.each([
    ['another message', 'Hi Bob', 'Hi Ada'],
    ['more than the message', 'Hi Ada and Bob', 'Hi Ada'],
    ['less than the message', 'Hi', 'Hi Ada'],
    ['a sign for any sign', 'abc', 'a.c'],
    ['other words around an address', 'Look example.com', 'See https://example.com'],
    ['another address', 'evil.test', 'https://example.com'],
    ['any text for an address alone', 'Who is this?', 'https://example.com/x'],
    ['nothing', '', 'https://example.com'],
  ])('not %s', (_what, shown, message) => {
    expect(readsAs(shown, message)).toBe(false)
  })

  test('any text without an address reads as itself', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => readsAs(text, text)))
  })
})

test('what is written counts to the letter, but for white space', () => {
  expect(isWritten('Hi\n\nAda', 'Hi\nAda')).toBe(true)
  expect(isWritten('Hi Ad', 'Hi Ada')).toBe(false)
  expect(isWritten('example.com', 'https://example.com')).toBe(false)
})

test('ids and handles are read from the names that X gives', () => {
  expect(idInFollowName('123-follow')).toBe('123')
  expect(idInFollowName('123-unfollow')).toBe('123')
  for (const name of [undefined, '', 'follow', 'x123-follow', '123-followers']) expect(idInFollowName(name)).toBeNull()
  expect(handleIn('Ada Lovelace @ada_1')).toBe('ada_1')
  expect(handleIn('Ada')).toBeNull()
  expect(isHandle('Ada', 'aDA')).toBe(true)
  expect(isHandle(null, 'ada')).toBe(false)
})
