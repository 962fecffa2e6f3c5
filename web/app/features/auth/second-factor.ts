import type { SecondFactorNeeded } from '@x-automated/contract/auth'

/** The ways that a second step of a sign-in offers. */
export interface FactorWays {
  /** A code is typed: of an authenticator app, or a recovery code. */
  code: boolean
  passkey: boolean
}

/** @param canPasskey does this browser know passkeys? */
export function waysOf(kinds: SecondFactorNeeded['secondFactor'], canPasskey: boolean): FactorWays {
  return {
    code: kinds.includes('totp') || kinds.includes('recovery'),
    passkey: canPasskey && kinds.includes('passkey'),
  }
}

/** What to type, by what the account has. */
export function codeHint(kinds: SecondFactorNeeded['secondFactor']): string {
  if (!kinds.includes('totp')) return 'One of your recovery codes.'
  return kinds.includes('recovery')
    ? 'The 6-digit code from your authenticator app, or a recovery code.'
    : 'The 6-digit code from your authenticator app.'
}

/** The answer of a first step out of the state of a navigation, which is not to be trusted; null for anything else. */
export function secondFactorIn(state: unknown): SecondFactorNeeded | null {
  const { secondFactor, ticket } = ((state as { needed?: unknown } | null)?.needed ?? {}) as Partial<SecondFactorNeeded>
  return Array.isArray(secondFactor) && typeof ticket === 'string' ? { secondFactor, ticket } : null
}
