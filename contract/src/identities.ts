import { z } from 'zod'
import { SignedIn } from './auth.ts'
import { Id, ReferralCode, requiredText, Time } from './fields.ts'
import { route } from './route.ts'

/** External sign-in providers. */
export const Provider = z.enum(['google'])
export type Provider = z.output<typeof Provider>

/**
 * Why a sign-in at a provider can fail, with its text. The callback passes the key to the page as
 * `?error=`; errors carry it in `details.problem`.
 */
export const PROVIDER_PROBLEMS = {
  cancelled: 'Failed to sign in with Google. Please try again.',
  no_email: 'Could not retrieve email from Google account.',
  unconfirmed_email:
    "Google hasn't verified this account's email address. Verify it with Google, or sign up with a password.",
  busy: 'Too many requests. Please wait a moment and try again.',
  failed: 'Error processing your Google sign-in. Please try again.',
} as const
export type ProviderProblem = keyof typeof PROVIDER_PROBLEMS

/** An external account that can sign in to this account. */
export const Identity = z.object({
  id: z.string(),
  /** `sso`: a workspace's single sign-on. */
  provider: z.enum([...Provider.options, 'sso']),
  /** Its email address when it was linked; null if the provider sent none. */
  email: z.string().nullable(),
  createdAt: Time,
})
export type Identity = z.output<typeof Identity>

/** PKCE (RFC 7636, S256): binds the callback to the browser that started the sign-in. */
const CodeChallenge = z.string().regex(/^[\w-]{43}$/, 'must be the base64url of a SHA-256')

export const identities = {
  listProviders: route({
    method: 'GET',
    path: '/auth/providers',
    tag: 'Authentication',
    summary: 'Where one can sign in from',
    access: 'public',
    effect: 'none',
  }).output(z.object({ providers: z.array(Provider) })),

  authorize: route({
    method: 'POST',
    path: '/auth/authorize',
    tag: 'Authentication',
    summary: 'Begin to sign in with Google',
    description:
      'The answer is the address to open. Google sends the browser back to us, and we to {origin}/auth/callback?code=… ' +
      '(intent `waitlist`: to {origin}/waitlist?code=…, having joined the waitlist), where POST /auth/exchange with the verifier signs in. ' +
      'A failure comes back as `error` with one of the keys cancelled, no_email, unconfirmed_email, busy, failed.',
    access: 'public',
    effect: 'unkeyed',
    errors: ['GOOGLE_UNAVAILABLE'],
  })
    .input(
      z.strictObject({
        provider: Provider,
        codeChallenge: CodeChallenge,
        referralCode: ReferralCode,
        intent: z.enum(['login', 'waitlist']).default('login'),
      }),
    )
    .output(z.object({ url: z.url() })),

  signInIdToken: route({
    method: 'POST',
    path: '/auth/sign-in/id-token',
    tag: 'Authentication',
    summary: "Sign in with Google's id_token",
    description:
      'The token must be for this product, not expired, and not used before; its nonce must come with it where it has one.',
    access: 'public',
    effect: 'unkeyed',
    errors: ['IDENTITY_REFUSED', 'GOOGLE_UNAVAILABLE'],
  })
    .input(
      z.strictObject({
        provider: Provider,
        idToken: z.string().min(1).max(10_000),
        nonce: z.string().min(1).max(500).optional(),
        referralCode: ReferralCode,
      }),
    )
    .output(SignedIn),

  list: route({
    method: 'GET',
    path: '/auth/identities',
    tag: 'Account',
    summary: 'Accounts elsewhere that sign in here',
    access: 'viewer',
    effect: 'none',
  }).output(z.object({ identities: z.array(Identity) })),

  authorizeLink: route({
    method: 'POST',
    path: '/auth/identities/authorize',
    tag: 'Account',
    summary: 'Begin to link a Google account',
    description:
      'Needs a fresh reauthentication. Google sends the browser back to us, and we to {origin}/account?code=…, where POST /auth/identities with the verifier links it; a failure comes back as `error`.',
    access: 'viewer',
    effect: 'unkeyed',
    errors: ['REAUTHENTICATION_NEEDED', 'GOOGLE_UNAVAILABLE'],
  })
    .input(z.strictObject({ provider: Provider, codeChallenge: CodeChallenge }))
    .output(z.object({ url: z.url() })),

  link: route({
    method: 'POST',
    path: '/auth/identities',
    tag: 'Account',
    summary: 'Link the account that was signed in to',
    description:
      'Only from the session that began, with the verifier: nobody can be made to link an account of somebody else.',
    access: 'viewer',
    effect: 'unkeyed',
    errors: ['INVALID_CODE', 'IDENTITY_TAKEN'],
  })
    .input(z.strictObject({ code: requiredText(200), codeVerifier: z.string().min(1).max(200) }))
    .output(Identity),

  unlink: route({
    method: 'DELETE',
    path: '/auth/identities/{id}',
    tag: 'Account',
    summary: 'Unlink an account',
    description: 'Needs a fresh reauthentication. The last way to sign in stays.',
    access: 'viewer',
    effect: 'unkeyed',
    successStatus: 204,
    errors: ['IDENTITY_NOT_FOUND', 'REAUTHENTICATION_NEEDED', 'LAST_WAY_IN'],
  }).input(z.strictObject({ id: Id })),
}
