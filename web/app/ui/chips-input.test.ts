import { expect, test } from 'vitest'
import { withChip } from './chips-input'

test('a chip is trimmed, never empty, and there once whatever its case', () => {
  expect(withChip([], '  founder ')).toEqual(['founder'])
  expect(withChip(['founder'], ' ')).toEqual(['founder'])
  expect(withChip(['founder'], 'Founder')).toEqual(['founder'])
  expect(withChip(['founder'], 'co-founder')).toEqual(['founder', 'co-founder'])
})
