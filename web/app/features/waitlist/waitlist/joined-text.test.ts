import { expect, it } from 'vitest'
import { joinedText } from './joined-text'

it.each([
  [0, '0+ people have already joined'],
  [1, '1+ people have already joined'],
  [1_234, '1,234+ people have already joined'],
])('formats %i members as %j', (count, text) => {
  expect(joinedText(count)).toBe(text)
})
