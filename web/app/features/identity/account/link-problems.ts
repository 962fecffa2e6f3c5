import { providerProblem } from '@x-automated/contract/identity/provider-problems'
import { ssoProblem } from '@x-automated/contract/identity/sso-problems'

/** The message for a failed account link, by the URL's `error` parameter; null if unknown. */
export function linkProblem(key: string | null): string | null {
  if (key === 'cancelled') return 'You canceled at Google. Nothing was changed.'
  return ssoProblem(key) ?? providerProblem(key)
}

const names: Record<string, string> = { google: 'Google', sso: 'Single sign-on' }

/** A provider's display name, or its key if it is unknown. */
export function providerName(provider: string): string {
  return Object.hasOwn(names, provider) ? (names[provider] ?? provider) : provider
}
