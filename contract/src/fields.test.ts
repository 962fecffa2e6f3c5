import { expect, it } from 'vitest'
import { requiredName, requiredText, safeName } from './fields.ts'

it.each([
  ['Acme', 'Acme'],
  [' Müller & Söhne\t', 'Müller & Söhne'],
  ['a\nb', 'a b'],
  ['see https://evil.example', 'see https evil.example'],
  ['\u202eevil\u2069', 'evil'],
  ['\u0000', '…'],
])('safeName writes %j as %j, which requiredName accepts', (name, safe) => {
  expect(safeName(name)).toBe(safe)
  expect(requiredName(100).safeParse(safe).data).toBe(safe)
})

it.each(['', ' \n', '\u200b', '\u200d\u2060\ufeff \u202e', '\u3164', '\u00ad'])(
  'requiredText and requiredName reject %j, in which nothing is visible',
  (blank) => {
    expect(requiredText(10).safeParse(blank).success).toBe(false)
    expect(requiredName(10).safeParse(blank).success).toBe(false)
  },
)

it('requiredText accepts characters joined by invisible ones', () => {
  expect(requiredText(10).safeParse('👩\u200d🚀').data).toBe('👩\u200d🚀')
})
