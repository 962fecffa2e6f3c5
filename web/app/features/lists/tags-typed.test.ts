import { expect, test } from 'vitest'
import { tagsTyped } from './tags-typed'

test.each([
  ['founders, saas ,, berlin,', ['founders', 'saas', 'berlin']],
  [' , ', []],
  ['', []],
])('%j', (text, tags) => {
  expect(tagsTyped(text)).toEqual(tags)
})
