import type { SecondFactorNeeded } from '@x-automated/contract/identity/auth'

/** Ways to pass the second step. */
interface FactorWays {
  /** A code from an authenticator app, or a recovery code. */
  code: boolean
  passkey: boolean
}

/**
 * The ways to pass the second step with factors of these kinds. @param canPasskey whether the
 * browser supports passkeys
 */
export function waysOf(kinds: SecondFactorNeeded['secondFactor'], canPasskey: boolean): FactorWays {
  return {
    code: kinds.includes('totp') || kinds.includes('recovery'),
    passkey: canPasskey && kinds.includes('passkey'),
  }
}

/** The hint below the code field. */
export function codeHint(kinds: SecondFactorNeeded['secondFactor']): string {
  if (!kinds.includes('totp')) return 'One of your recovery codes.'
  return kinds.includes('recovery')
    ? 'The 6-digit code from your authenticator app, or a recovery code.'
    : 'The 6-digit code from your authenticator app.'
}

/** Parses untrusted navigation state. Null if it isn't a pending second factor. */
export function secondFactorIn(state: unknown): SecondFactorNeeded | null {
  const { secondFactor, ticket } = ((state as { needed?: unknown } | null)?.needed ?? {}) as Partial<SecondFactorNeeded>
  return Array.isArray(secondFactor) && typeof ticket === 'string' ? { secondFactor, ticket } : null
}
