import { z } from 'zod'
import { Email, nameText, ReferralCode, requiredText, Success, Time } from '../fields.ts'
import { routes } from '../route.ts'
import { meetsPasswordRules, PASSWORD_MAX, PASSWORD_PROBLEM, PASSWORD_TOO_LONG } from './password-rules.ts'

const route = routes('Authentication')
const accountRoute = routes('Account')

export const NewPassword = z.string().max(PASSWORD_MAX, PASSWORD_TOO_LONG).refine(meetsPasswordRules, PASSWORD_PROBLEM)

export const Session = z.object({
  token: z.string(),
  refreshToken: z.string(),
  expiresAt: Time,
  user: z.object({ id: z.string(), email: z.string() }),
})

export const FactorKind = z.enum(['totp', 'passkey'])

/** The first sign-in step succeeded. Continue with POST /auth/sign-in/second-factor. */
export const SecondFactorNeeded = z.object({
  secondFactor: z.array(z.enum([...FactorKind.options, 'recovery'])),
  ticket: z.string(),
})
export type SecondFactorNeeded = z.output<typeof SecondFactorNeeded>

/** Second factors added before a password reset, and the ticket to remove them (valid for 15 minutes). */
export const FactorRemoval = z.object({
  ticket: z.string(),
  factors: z.array(z.object({ kind: FactorKind, name: z.string(), createdAt: Time })),
})
export type FactorRemoval = z.output<typeof FactorRemoval>

/** A session, or a request for the second factor. */
export const SignedIn = z.union([Session, SecondFactorNeeded])

export const Workspace = z.object({
  id: z.string(),
  name: z.string(),
  role: z.enum(['viewer', 'member', 'admin', 'owner']),
})

export const Me = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  createdAt: Time,
  workspace: Workspace,
  workspaces: z.array(Workspace),
  /** Only present, and true, for operators of the product. */
  operator: z.literal(true).optional(),
})

const noCode = 'No code detected.'
const incomplete = 'You must provide either an email or phone number and a password'

export const auth = {
  signUpEmail: route('POST /auth/sign-up/email', 'public', 'unkeyed', {
    summary: 'Sign up with email and password',
    description:
      'The response is the same for known and unknown addresses; a known address gets an email that says so. One address gets at most 5 emails an hour. ' +
      'The cookie of the response is only sent to /api/auth/verify-email. In that browser the emailed link confirms the address in one step.',
  })
    .input(
      z.strictObject({
        email: z.string({ error: incomplete }).pipe(Email),
        password: z.string({ error: incomplete }).pipe(NewPassword),
        name: nameText(100).optional(),
        referralCode: ReferralCode,
        /** PKCE (RFC 7636, S256): binds the link's one-time code to the browser that signed up. */
        codeChallenge: z
          .string()
          .regex(/^[\w-]{43}$/, 'must be the base64url of a SHA-256')
          .optional(),
      }),
    )
    .output(Success.extend({ message: z.string() })),

  confirmEmail: route('POST /auth/verify-email', 'public', 'unkeyed', {
    summary: 'Confirm an email address with the token of its link',
    description:
      'Creates the account. In the browser that signed up (identified by its cookie), the password from the sign-up is used. Elsewhere it is discarded, and a new `password` is required.',
    errors: ['INVALID_CODE'],
  })
    .input(z.strictObject({ token: requiredText(200), password: NewPassword.optional() }))
    .output(Success.extend({ message: z.string() })),

  signInEmail: route('POST /auth/sign-in/email', 'public', 'unkeyed', {
    summary: 'Sign in with email and password',
    errors: ['INVALID_CREDENTIALS', 'EMAIL_NOT_VERIFIED'],
  })
    .input(z.strictObject({ email: Email, password: z.string().min(1).max(1000) }))
    .output(SignedIn),

  exchange: route('POST /auth/exchange', 'public', 'unkeyed', {
    summary: 'Exchange a one-time code for a session',
    description:
      'The code works once, within 60 seconds. If it was requested with a code challenge, its verifier is required.',
    errors: ['INVALID_CODE'],
  })
    .input(
      z.strictObject({
        code: z.string({ error: noCode }).trim().min(1, noCode).max(200),
        codeVerifier: z.string().min(1).max(200).optional(),
      }),
    )
    .output(SignedIn),

  refresh: route('POST /auth/refresh', 'public', 'unkeyed', {
    summary: 'Exchange a refresh token for a new pair of tokens',
    description:
      'The refresh token rotates on each use. Reusing an old one ends the session, except within 10 seconds, when two tabs may refresh at the same time.',
    errors: ['UNAUTHORIZED'],
  })
    .input(z.strictObject({ refreshToken: z.string().min(1).max(500) }))
    .output(z.object({ token: z.string(), refreshToken: z.string(), expiresAt: Time })),

  signOut: route('POST /auth/sign-out', 'viewer', 'unkeyed', {
    summary: 'Sign out of this session, all others, or all',
    description: 'A single sign-on session must reauthenticate to end others.',
    errors: ['REAUTHENTICATION_NEEDED'],
  })
    .input(
      z.preprocess(
        (body) => body ?? {},
        z.strictObject({ scope: z.enum(['local', 'others', 'global']).default('local') }),
      ),
    )
    .output(Success),

  jwks: route('GET /auth/jwks', 'public', 'none', { summary: 'Get the public keys that verify access tokens' }).output(
    z.object({ keys: z.array(z.record(z.string(), z.unknown())) }),
  ),

  me: accountRoute('GET /me', 'viewer', 'none', { summary: 'Get the current user and workspace' }).output(Me),
}
