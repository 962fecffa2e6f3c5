import { expect, it } from 'vitest'
import { downloadedText } from './archive'

it.each([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [12_345, '12 KB'],
  [3_440_000, '3.4 MB'],
])('formats %d bytes as %s', (bytes, text) => {
  expect(downloadedText(bytes)).toBe(text)
})
