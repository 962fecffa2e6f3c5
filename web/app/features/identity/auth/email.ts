/** Checks only the format. Only a confirmed email proves that an address exists. */
export function isEmail(text: string): boolean {
  return /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(text.trim())
}

export const emailProblem = 'Invalid email format'

/** `register` options for a required email field. */
export const requiredEmail = {
  required: 'Email is required',
  validate: (email: string) => isEmail(email) || emailProblem,
}
