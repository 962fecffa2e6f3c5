import { afterEach, expect, it, vi } from 'vitest'
import { setTheme } from './set-theme'

afterEach(() => vi.unstubAllGlobals())

it('selects a theme even if its radio is checked already', () => {
  const radio = Object.assign(new EventTarget(), { checked: true })
  vi.stubGlobal('document', { querySelector: () => radio })
  const onChange = vi.fn()
  radio.addEventListener('change', onChange)
  setTheme('system')
  expect(onChange).toHaveBeenCalledTimes(1)
  expect(radio.checked).toBe(true)
})
