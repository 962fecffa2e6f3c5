import { z } from 'zod'
import { Id, ReferralCode, requiredText, Time } from '../fields.ts'
import { routes } from '../route.ts'
import { SignedIn } from './auth.ts'

const route = routes('Account')
const signInRoute = routes('Authentication')

/** External sign-in providers. */
export const Provider = z.enum(['google'])
export type Provider = z.output<typeof Provider>

/** An external account that can sign in to this account. */
export const Identity = z.object({
  id: z.string(),
  /** `sso`: a workspace's single sign-on. */
  provider: z.enum([...Provider.options, 'sso']),
  /** The external account's email address when it was linked; null if the provider sent none. */
  email: z.string().nullable(),
  createdAt: Time,
})
export type Identity = z.output<typeof Identity>

/** PKCE (RFC 7636, S256): binds the callback to the browser that started the sign-in. */
const CodeChallenge = z.string().regex(/^[\w-]{43}$/, 'must be the base64url of a SHA-256')

export const identities = {
  listProviders: signInRoute('GET /auth/providers', 'public', 'none', {
    summary: 'List the configured sign-in providers',
  }).output(z.object({ providers: z.array(Provider) })),

  authorize: signInRoute('POST /auth/authorize', 'public', 'unkeyed', {
    summary: 'Start a sign-in with Google',
    description:
      'Returns the URL to open. After the sign-in, the browser returns to {origin}/auth/callback?code=… ' +
      '(intent `waitlist`: joins the waitlist and returns to {origin}/waitlist?code=…), where POST /auth/exchange with the verifier signs in. ' +
      'On failure, `error` is cancelled, no_email, unconfirmed_email, busy or failed.',
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

  signInIdToken: signInRoute('POST /auth/sign-in/id-token', 'public', 'unkeyed', {
    summary: "Sign in with Google's id_token",
    description: 'The token must be issued for this product, unexpired and unused. If it has a nonce, pass it.',
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

  list: route('GET /auth/identities', 'viewer', 'none', {
    summary: 'List the external accounts that can sign in to yours',
    description: 'A single sign-on session must reauthenticate first.',
    errors: ['REAUTHENTICATION_NEEDED'],
  }).output(z.object({ identities: z.array(Identity) })),

  authorizeLink: route('POST /auth/identities/authorize', 'viewer', 'unkeyed', {
    summary: 'Start linking a Google account',
    description:
      'Requires a recent reauthentication. The browser returns to {origin}/account?code=…, where POST /auth/identities with the verifier links the account; on failure, with `error`.',
    errors: ['REAUTHENTICATION_NEEDED', 'GOOGLE_UNAVAILABLE'],
  })
    .input(z.strictObject({ provider: Provider, codeChallenge: CodeChallenge }))
    .output(z.object({ url: z.url() })),

  link: route('POST /auth/identities', 'viewer', 'unkeyed', {
    summary: 'Link an external account after its sign-in',
    description:
      "Requires the verifier and the session that started the link. This prevents attackers from linking their own account to someone else's.",
    errors: ['INVALID_CODE', 'IDENTITY_TAKEN'],
  })
    .input(z.strictObject({ code: requiredText(200), codeVerifier: z.string().min(1).max(200) }))
    .output(Identity),

  unlink: route('DELETE /auth/identities/{id}', 'viewer', 'unkeyed', {
    summary: 'Unlink an external account',
    description: 'Requires a recent reauthentication. The last way to sign in cannot be removed.',
    errors: ['IDENTITY_NOT_FOUND', 'REAUTHENTICATION_NEEDED', 'LAST_WAY_IN'],
  }).input(z.strictObject({ id: Id })),
}
