import { NewPassword } from '@x-automated/contract/identity/auth'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { newPasswordProblem } from './password-rules'

test('the form and the server accept the same passwords, with the same messages', () => {
  const anyPassword = fc.string({ unit: fc.constantFrom('A', 'z', '7', 'é', ' ', '!', 'Ω'), maxLength: 16 })
  const long = fc.integer({ min: 124, max: 132 }).map((length) => 'Aa1'.padEnd(length, 'x'))
  fc.assert(
    fc.property(fc.oneof(anyPassword, long), (password) => {
      const problems = NewPassword.safeParse(password).error?.issues.map(({ message }) => message)
      expect(newPasswordProblem(password)).toBe(problems?.[0] ?? null)
    }),
  )
})
