/** Said where the user name or the password is missing (specification §5). */
export const BOTH_REQUIRED = 'Please enter both username and password'

/** What is wrong with a user name of X, or null. The server says the same. */
export function usernameProblem(username: string): string | null {
  if (username.trim() === '') return BOTH_REQUIRED
  return username.includes('@') ? 'Please enter your Twitter username without the @ symbol' : null
}
