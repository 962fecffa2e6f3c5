import type { Factor } from '@x-automated/contract/identity/second-factors'

/** One way to reauthenticate. */
export type ReauthWay =
  | { kind: 'singleSignOn' }
  | { kind: 'password' }
  | { kind: 'totp'; factorIds: string[] }
  | { kind: 'passkey'; factorId: string; name: string | undefined }
  | { kind: 'email' }

/** A factor. Its name is unknown until the user has reauthenticated. */
export type FactorToProve = Pick<Factor, 'id' | 'kind'> & { name?: string }

/** The account's ways to reauthenticate in this browser, the easiest first. */
export function reauthWays(
  { hasPassword, factors }: { hasPassword: boolean; factors: readonly FactorToProve[] },
  canPasskey: boolean,
  hasSingleSignOn = false,
): ReauthWay[] {
  const apps = factors.filter(({ kind }) => kind === 'totp')
  const passkeys = canPasskey ? factors.filter(({ kind }) => kind === 'passkey') : []
  return [
    ...(hasSingleSignOn ? [{ kind: 'singleSignOn' } as const] : []),
    ...(hasPassword ? [{ kind: 'password' } as const] : []),
    ...(apps.length > 0 ? [{ kind: 'totp', factorIds: apps.map(({ id }) => id) } as const] : []),
    ...passkeys.map(({ id, name }) => ({ kind: 'passkey', factorId: id, name }) as const),
    { kind: 'email' },
  ]
}

/** The button label for a way. */
export function wayText(way: ReauthWay): string {
  switch (way.kind) {
    case 'singleSignOn':
      return 'Use single sign-on'
    case 'password':
      return 'Use your password'
    case 'totp':
      return 'Use your authenticator app'
    case 'passkey':
      return way.name === undefined ? 'Use a passkey' : `Use the passkey “${way.name}”`
    case 'email':
      return 'Email me a code'
  }
}
