/** Checks only the format. Whether the address exists is known only once an email to it is confirmed. */
export function isEmail(text: string): boolean {
  return /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(text.trim())
}

export const emailProblem = 'Invalid email format'

/** `register` options for a required email field. */
export const requiredEmail = {
  required: 'Email is required',
  validate: (email: string) => isEmail(email) || emailProblem,
}
