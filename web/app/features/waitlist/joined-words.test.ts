import { expect, it } from 'vitest'
import { joinedWords } from './joined-words'

it.each([
  [0, ''],
  [1, '1+ people have already joined'],
  [1_234, '1,234+ people have already joined'],
])('of %i who joined it says %j', (count, words) => {
  expect(joinedWords(count)).toBe(words)
})
