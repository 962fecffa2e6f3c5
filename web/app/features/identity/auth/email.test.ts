import { expect, test } from 'vitest'
import { isEmail } from './email'

test.each(['a@b.co', ' ada@lovelace.example ', 'a.b+tag@sub.example.org'])('accepts %j', (text) => {
  expect(isEmail(text)).toBe(true)
})

test.each(['', 'ada', 'ada@', '@b.co', 'a@b', 'a@b.', 'a b@c.de', 'a@b@c.de', 'a@b..co'])('rejects %j', (text) => {
  expect(isEmail(text)).toBe(false)
})
