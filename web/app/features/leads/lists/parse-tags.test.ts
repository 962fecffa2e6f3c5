import { LIST_TAG_LENGTH_MAX, LIST_TAGS_MAX } from '@x-automated/contract/leads/lead-limits'
import { expect, test } from 'vitest'
import { parseTags, tagsProblem } from './new-campaign-dialog'

test.each([
  ['founders, saas ,, berlin,', ['founders', 'saas', 'berlin']],
  [' , ', []],
  ['', []],
])('splits %j', (text, tags) => {
  expect(parseTags(text)).toEqual(tags)
})

test('limits the number of tags and their length', () => {
  const most = Array.from({ length: LIST_TAGS_MAX }, (_, i) => String(i).padStart(LIST_TAG_LENGTH_MAX, '0')).join(', ')
  expect(tagsProblem(most)).toBeUndefined()
  expect(tagsProblem(`${most}, one`)).toBe('At most 20 tags')
  expect(tagsProblem('x'.repeat(LIST_TAG_LENGTH_MAX + 1))).toBe('A tag has at most 40 characters')
})
