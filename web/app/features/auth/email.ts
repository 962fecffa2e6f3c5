/** Shaped like an address (specification §5: 'Invalid email format'); whether it exists only a mail can tell. */
export function isEmail(text: string): boolean {
  return /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(text.trim())
}

export const emailProblem = 'Invalid email format'

/** For `register` of react-hook-form, where nothing works without an address. */
export const requiredEmail = {
  required: 'Email is required',
  validate: (email: string) => isEmail(email) || emailProblem,
}
