import { NewPassword } from '@x-automated/contract/auth'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { meetsPasswordRules, passwordProblem } from './password-rules'

test('the screen and the server agree about every password, and on the words', () => {
  const anyPassword = fc.string({ unit: fc.constantFrom('A', 'z', '7', 'é', ' ', '!', 'Ω'), maxLength: 16 })
  fc.assert(
    fc.property(anyPassword, (password) => {
      expect(meetsPasswordRules(password)).toBe(NewPassword.safeParse(password).success)
    }),
  )
  expect(NewPassword.safeParse('short').error?.issues[0]?.message).toBe(passwordProblem)
})
