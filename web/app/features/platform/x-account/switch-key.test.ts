import { expect, test } from 'vitest'
import { isSwitchKey } from './account-key'

const keys = { code: 'KeyX', altKey: true, ctrlKey: false, metaKey: false, shiftKey: false }
/** An event target within an element of this kind. */
const inside = (kind: string) =>
  ({ closest: (selector: string) => (selector.includes(kind) ? {} : null) }) as unknown as EventTarget

test('recognizes Alt+X except in text fields', () => {
  expect(isSwitchKey({ ...keys, target: null })).toBe(true)
  expect(isSwitchKey({ ...keys, target: inside('button') })).toBe(true)
  for (const kind of ['input', 'textarea', 'select', '[contenteditable]'])
    expect(isSwitchKey({ ...keys, target: inside(kind) }), kind).toBe(false)
  expect(isSwitchKey({ ...keys, altKey: false, target: null })).toBe(false)
  expect(isSwitchKey({ ...keys, ctrlKey: true, target: null })).toBe(false)
})
