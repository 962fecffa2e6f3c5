import { expect, test } from 'vitest'
import { isAllowedOrigin, productOrigin } from './origin.ts'

test('allows only exact origins: scheme, host and port', () => {
  const matches = ['https://x-automated.example/*', 'http://localhost:3000/*']
  expect(isAllowedOrigin('https://x-automated.example', matches)).toBe(true)
  expect(isAllowedOrigin('http://localhost:3000', matches)).toBe(true)
  for (const origin of [
    undefined,
    '',
    'null',
    'http://x-automated.example',
    'https://x-automated.example:8443',
    'https://x-automated.example.evil.test',
    'http://localhost:3001',
    'http://127.0.0.1:3000',
  ])
    expect(isAllowedOrigin(origin, matches), origin).toBe(false)
})

test("takes the product's origin from the manifest's first match pattern", () => {
  expect(productOrigin(['http://localhost:3000/*', 'http://127.0.0.1:3000/*'])).toBe('http://localhost:3000')
  expect(productOrigin([])).toBeNull()
})
