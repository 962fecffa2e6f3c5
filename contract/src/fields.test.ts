import { expect, it } from 'vitest'
import { nameInBody, nameInSubject, requiredName, requiredText, safeName, subjectLine } from './fields.ts'

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

const LINKED_NAMES = [
  ...['1.2.3.4', '[evil](http)', '[evil][1]', 'xn--evil-.com', 'evil-.com', '10.0.0.1/a', '１．２．３．４'],
  'evil.example/login now',
  'Acme.io',
  'ann@evil.example',
  'ｅｖｉｌ．ｅｘａｍｐｌｅ/login',
  'ⓔⓥⓘⓛ.ⓔⓧⓐⓜⓟⓛⓔ',
  'evil｡example',
  'evil\u2024example',
  'ev\u200bil.\u2060example',
  'пример.рф',
  'xn--e1afmkfd.xn--p1ai',
]

it.each(LINKED_NAMES)('accepts the name %j, keeps it out of subjects and unlinks it in bodies', (name) => {
  expect(requiredName(100).safeParse(name).success).toBe(true)
  expect(nameInSubject(name, 'a workspace')).toBe('a workspace')
  expect(subjectLine(`Campaign “${name}” was paused`)).toMatch(/^Campaign “….*” was paused$/)
  expect(nameInBody(name).normalize('NFKC')).not.toMatch(/[^\s\u2060][.。@](?!\u2060)/)
  expect(nameInBody(name).replaceAll('\u2060', '')).toBe(name.replaceAll('\u2060', ''))
})

it.each([
  'Acme',
  'Acme Inc.',
  'J.P. Morgan',
  'Version 2.0',
  '...and friends',
  'A.B',
  'Release 1.2.3',
  'Acme [EU] (2)',
  'HTTP Tools',
])('keeps the name %j in subjects', (name) => {
  expect(nameInSubject(name, 'a workspace')).toBe(name)
  expect(subjectLine(`${name} has a new owner`)).toBe(`${name} has a new owner`)
})

it.each([
  'https://evil.example',
  'ｈｔｔｐｓ：／／evil.example',
  'ⓗⓣⓣⓟⓢ://evil',
  'www.evil',
  'WWW．evil.example',
  'ⓦⓦⓦ.evil',
  'w\u200bww.evil',
  'https:\u2060//evil',
])('rejects the name %j', (name) => {
  expect(requiredName(100).safeParse(name).success).toBe(false)
  expect(requiredName(100).safeParse(safeName(name)).success).toBe(true)
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
