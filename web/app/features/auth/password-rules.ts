/** What a new password needs, in the words shown beside the field (specification §5). The server checks the same. */
export const passwordRules: readonly { words: string; met: (password: string) => boolean }[] = [
  { words: 'At least 8 characters', met: (password) => password.length >= 8 },
  { words: 'One uppercase letter', met: (password) => /[A-Z]/.test(password) },
  { words: 'One lowercase letter', met: (password) => /[a-z]/.test(password) },
  { words: 'One digit', met: (password) => /[0-9]/.test(password) },
]

export const passwordProblem = 'Password does not meet the requirements'

/** Does a new password meet every rule? */
export function meetsPasswordRules(password: string): boolean {
  return passwordRules.every((rule) => rule.met(password))
}
