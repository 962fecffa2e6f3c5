/** What a new password needs, in the words shown beside the field (specification §5). The server checks the same. */
export const passwordRules: readonly { text: string; met: (password: string) => boolean }[] = [
  { text: 'At least 8 characters', met: (password) => password.length >= 8 },
  { text: 'One uppercase letter', met: (password) => /[A-Z]/.test(password) },
  { text: 'One lowercase letter', met: (password) => /[a-z]/.test(password) },
  { text: 'One digit', met: (password) => /[0-9]/.test(password) },
]

export const passwordProblem = 'Password does not meet the requirements'

/** The most that the server takes. Never cut off while it is typed or pasted: what is kept elsewhere would not log in. */
const LONGEST = 128
const tooLong = `Use at most ${LONGEST} characters`

/** What is wrong with a new password, in words to show; null where nothing is. */
export function newPasswordProblem(password: string): string | null {
  if (password.length > LONGEST) return tooLong
  return passwordRules.every((rule) => rule.met(password)) ? null : passwordProblem
}
