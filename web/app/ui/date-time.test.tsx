import { setLocale } from '@x-automated/contract/format'
import { renderToString } from 'react-dom/server'
import { afterEach, expect, test } from 'vitest'
import { DateTime } from './date-time'

afterEach(() => setLocale('en-US'))

test.each([
  ['en-US', /Dec 1, 2020<\/time>(<!-- -->)?\.$/],
  ['de-DE', /2020<\/time>(<!-- -->)?\.$/],
])('ends a sentence in %s with one full stop', (locale, html) => {
  setLocale(locale)
  expect(renderToString(<DateTime value="2020-12-01T12:00:00Z" precision="day" endsSentence />)).toMatch(html)
})

test('adds no full stop to a date that ends with one', () => {
  setLocale('de-DE')
  const december = `${new Date().getFullYear()}-12-01T12:00:00Z`
  expect(renderToString(<DateTime value={december} precision="day" endsSentence />)).toMatch(/1\. Dez\.<\/time>$/)
})
