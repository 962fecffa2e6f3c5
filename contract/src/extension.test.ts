import { expect, test } from 'vitest'
import { connectableMatches } from './extension.ts'

test('the extension lets in the product’s origin and no other; on loopback by both its names', () => {
  expect(connectableMatches('https://x-automated.example/')).toEqual(['https://x-automated.example/*'])
  expect(connectableMatches('https://x-automated.example:8443')).toEqual(['https://x-automated.example:8443/*'])
  for (const url of ['http://localhost:3000', 'http://127.0.0.1:3000']) {
    expect(connectableMatches(url)).toEqual(['http://localhost:3000/*', 'http://127.0.0.1:3000/*'])
  }
})
