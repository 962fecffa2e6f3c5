import { expect, test } from 'vitest'
import { underWay } from './use-leads-view'

test('what was asked for counts until it arrives, or a link or the back button leads elsewhere', () => {
  expect(underWay(['keyword=a', 'keyword=ab'], 'keyword=a')).toEqual(['keyword=ab'])
  // The router skips a URL that was replaced before it took effect.
  expect(underWay(['keyword=a', 'keyword=ab'], 'keyword=ab')).toEqual([])
  expect(underWay(['keyword=a'], 'status=sent')).toEqual([])
})
