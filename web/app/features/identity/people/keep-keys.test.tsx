import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { KeepKeys } from './keep-keys'

const textOf = (count: number, whose: 'their' | 'your') =>
  renderToString(<KeepKeys count={count} whose={whose} choice={{ current: false }} />).replace(/<[^>]*>/g, ' ')

test('says that everything stays of a person without API keys', () => {
  expect(textOf(0, 'their')).toBe('What they created stays.')
  expect(textOf(0, 'your')).toBe('What you created stays.')
})

test('says that API keys are deleted unless they are kept', () => {
  expect(textOf(1, 'their')).toContain(
    'What they created stays, except their 1 API key. It is deleted unless you keep it.',
  )
  expect(textOf(2, 'your')).toContain(
    'What you created stays, except your 2 API keys. They are deleted unless you keep them.',
  )
})
