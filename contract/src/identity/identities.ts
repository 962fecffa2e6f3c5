import { z } from 'zod'
import { Id, ReferralCode, requiredText, Time } from '../fields.ts'
import { route } from '../route.ts'
import { SignedIn } from './auth.ts'

/** External sign-in providers. */
export const Provider = z.enum(['google'])
export type Provider = z.output<typeof Provider>

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
    summary: 'List the configured sign-in providers',
    access: 'public',
    effect: 'none',
  }).output(z.object({ providers: z.array(Provider) })),

  authorize: route({
    method: 'POST',
    path: '/auth/authorize',
    tag: 'Authentication',
    summary: 'Start a sign-in with Google',
    description:
      'Returns the URL to open. After the sign-in, the browser returns to {origin}/auth/callback?code=… ' +
      '(intent `waitlist`: joins the waitlist and returns to {origin}/waitlist?code=…), where POST /auth/exchange with the verifier signs in. ' +
      'On failure, `error` is cancelled, no_email, unconfirmed_email, busy or failed.',
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
    description: 'The token must be issued for this product, unexpired and unused. If it has a nonce, pass it.',
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
    summary: 'List the external accounts that can sign in to yours',
    access: 'viewer',
    effect: 'none',
  }).output(z.object({ identities: z.array(Identity) })),

  authorizeLink: route({
    method: 'POST',
    path: '/auth/identities/authorize',
    tag: 'Account',
    summary: 'Start linking a Google account',
    description:
      'Requires a recent reauthentication. The browser returns to {origin}/account?code=…, where POST /auth/identities with the verifier links the account; on failure, with `error`.',
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
    summary: 'Link an external account after its sign-in',
    description:
      'Requires the verifier and the session that started the link. This prevents attackers from linking their own account to someone else’s.',
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
    summary: 'Unlink an external account',
    description: 'Requires a recent reauthentication. The last way to sign in cannot be removed.',
    access: 'viewer',
    effect: 'unkeyed',
    successStatus: 204,
    errors: ['IDENTITY_NOT_FOUND', 'REAUTHENTICATION_NEEDED', 'LAST_WAY_IN'],
  }).input(z.strictObject({ id: Id })),
}
