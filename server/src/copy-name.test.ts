import { expect, it } from 'vitest'
import { copyName } from './copy-name.ts'

it('keeps the name of a copy within its limit', () => {
  expect(copyName('Founders', 200)).toBe('Founders (copy)')
  expect(copyName('x'.repeat(200), 200)).toHaveLength(200)
})
