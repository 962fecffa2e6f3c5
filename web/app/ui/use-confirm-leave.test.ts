import { expect, test } from 'vitest'
import { isLeft } from './use-confirm-leave'

const at = (pathname: string, search = '') => ({ pathname, search })

test('isLeft is for another page or tab, and not for what else the address says', () => {
  expect(isLeft(at('/campaigns'), at('/leads'))).toBe(true)
  expect(isLeft(at('/twitter', '?tab=messenger'), at('/twitter', '?tab=scraper&handle=ana'))).toBe(true)
  expect(isLeft(at('/campaigns'), at('/campaigns', '?new=1'))).toBe(false)
})
