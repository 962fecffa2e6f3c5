import { ssoProblem } from '@x-automated/contract/sso-problems'
import { googleProblem } from '../auth/google-problems'

/** What is said of a link to an account elsewhere that came to nothing, by the key in the address; null for a key that is not known. */
export function linkProblem(key: string | null): string | null {
  if (key === 'cancelled') return 'You cancelled at Google. Nothing was changed.'
  return ssoProblem(key) ?? googleProblem(key)
}

const names: Record<string, string> = { google: 'Google', sso: 'Single sign-on' }

/** What people call a provider: 'Google', and one that is new here by its own name. */
export function providerName(provider: string): string {
  return Object.hasOwn(names, provider) ? (names[provider] ?? provider) : provider
}
