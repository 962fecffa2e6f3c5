import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { Avatar } from './avatar'

test('keeps an emoji of several code points whole', () => {
  expect(renderToString(<Avatar name="👩‍🚀 Zoë" />)).toContain('👩‍🚀')
  expect(renderToString(<Avatar name="🇩🇪 Max" />)).toContain('🇩🇪')
})
