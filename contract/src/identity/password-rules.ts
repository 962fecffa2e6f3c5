/** Minimum password length, in characters. */
const PASSWORD_MIN = 8
/** Maximum password length, in characters. */
export const PASSWORD_MAX = 128

/** The rules for a new password, as shown beside the field. */
export const PASSWORD_RULES: readonly { text: string; met: (password: string) => boolean }[] = [
  { text: `At least ${PASSWORD_MIN} characters`, met: (password) => password.length >= PASSWORD_MIN },
  { text: 'One uppercase letter', met: (password) => /[A-Z]/.test(password) },
  { text: 'One lowercase letter', met: (password) => /[a-z]/.test(password) },
  { text: 'One digit', met: (password) => /[0-9]/.test(password) },
]

export const PASSWORD_PROBLEM = 'Password does not meet the requirements'
export const PASSWORD_TOO_LONG = `Use at most ${PASSWORD_MAX} characters`

/** Whether a password of any length meets the rules. */
export function meetsPasswordRules(password: string): boolean {
  return PASSWORD_RULES.every((rule) => rule.met(password))
}

/** Returns what is wrong with a new password, or null. Never truncate a password: its user could not log in. */
export function newPasswordProblem(password: string): string | null {
  if (password.length > PASSWORD_MAX) return PASSWORD_TOO_LONG
  return meetsPasswordRules(password) ? null : PASSWORD_PROBLEM
}
