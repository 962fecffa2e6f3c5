import { expect, test } from 'vitest'
import { unsentChanges } from './use-form-draft'

test('keeps what was changed after a save was sent', () => {
  const words = ['stop']
  const sent = { days: 30, words, name: 'Ada' }
  expect(unsentChanges({ days: 30, words }, sent)).toEqual({})
  expect(unsentChanges({ days: 300, words: ['stop', 'halt'] }, sent)).toEqual({ days: 300, words: ['stop', 'halt'] })
})
