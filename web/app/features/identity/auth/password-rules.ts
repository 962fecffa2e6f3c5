/** Password rules as shown beside the field. The server enforces the same ones. */
export const passwordRules: readonly { text: string; met: (password: string) => boolean }[] = [
  { text: 'At least 8 characters', met: (password) => password.length >= 8 },
  { text: 'One uppercase letter', met: (password) => /[A-Z]/.test(password) },
  { text: 'One lowercase letter', met: (password) => /[a-z]/.test(password) },
  { text: 'One digit', met: (password) => /[0-9]/.test(password) },
]

export const passwordProblem = 'Password does not meet the requirements'

/** The server's maximum. Never truncate input: the saved password wouldn't log in. */
const LONGEST = 128
const tooLong = `Use at most ${LONGEST} characters`

/** The message for an invalid new password, or null. */
export function newPasswordProblem(password: string): string | null {
  if (password.length > LONGEST) return tooLong
  return passwordRules.every((rule) => rule.met(password)) ? null : passwordProblem
}
