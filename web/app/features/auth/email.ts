/** Shaped like an address (specification §5: 'Invalid email format'); whether it exists only a mail can tell. */
export function isEmail(text: string): boolean {
  return /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(text.trim())
}

export const emailProblem = 'Invalid email format'
