import { expect, it } from 'vitest'
import { requiredName, safeName } from './fields.ts'

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
