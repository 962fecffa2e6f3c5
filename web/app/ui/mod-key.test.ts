import { expect, test, vi } from 'vitest'
import { isModPressed } from './mod-key'

const ctrl = { ctrlKey: true, metaKey: false }

test('isModPressed leaves Ctrl to the text fields of a Mac', () => {
  vi.stubGlobal('navigator', { platform: 'MacIntel' })
  expect(isModPressed(ctrl)).toBe(false)
  expect(isModPressed({ ctrlKey: false, metaKey: true })).toBe(true)
  vi.stubGlobal('navigator', { platform: 'Linux x86_64' })
  expect(isModPressed(ctrl)).toBe(true)
  vi.unstubAllGlobals()
})
