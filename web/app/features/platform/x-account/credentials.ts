export const BOTH_REQUIRED = 'Please enter both username and password'

/**
 * What is wrong with an X username, as text to show; null if nothing. The server uses the same
 * texts.
 */
export function usernameProblem(username: string): string | null {
  if (username.trim() === '') return BOTH_REQUIRED
  return username.includes('@') ? 'Please enter your Twitter username without the @ symbol' : null
}
