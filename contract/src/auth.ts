import { z } from 'zod'
import { Email, nameText, ReferralCode, requiredText, Success, Time } from './fields.ts'
import { route } from './route.ts'

/** Minimum password length, and the maximum that is hashed. */
export const PASSWORD_MIN = 8
export const PASSWORD_MAX = 128

/** At least 8 characters with an uppercase letter, a lowercase letter and a digit. */
export const NewPassword = z
  .string()
  .max(PASSWORD_MAX, `Use at most ${PASSWORD_MAX} characters`)
  .refine(
    (p) => p.length >= PASSWORD_MIN && /[A-Z]/.test(p) && /[a-z]/.test(p) && /[0-9]/.test(p),
    'Password does not meet the requirements',
  )

export const Session = z.object({
  token: z.string(),
  refreshToken: z.string(),
  expiresAt: Time,
  user: z.object({ id: z.string(), email: z.string() }),
})
export type Session = z.output<typeof Session>

/** Kinds of second factors. */
export const FactorKind = z.enum(['totp', 'passkey'])

/** The first sign-in step succeeded. Continue with POST /auth/sign-in/second-factor. */
export const SecondFactorNeeded = z.object({
  secondFactor: z.array(z.enum([...FactorKind.options, 'recovery'])),
  ticket: z.string(),
})
export type SecondFactorNeeded = z.output<typeof SecondFactorNeeded>

/**
 * Second factors added before the mailbox was confirmed, and the ticket that removes them (15
 * minutes).
 */
export const FactorRemoval = z.object({
  ticket: z.string(),
  factors: z.array(z.object({ kind: FactorKind, name: z.string(), createdAt: Time })),
})
export type FactorRemoval = z.output<typeof FactorRemoval>

/** A session, or a request for the second factor. */
export const SignedIn = z.union([Session, SecondFactorNeeded])
export type SignedIn = z.output<typeof SignedIn>

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
export type Me = z.output<typeof Me>

const noCode = 'No code detected.'
const incomplete = 'You must provide either an email or phone number and a password'

export const auth = {
  signUpEmail: route({
    method: 'POST',
    path: '/auth/sign-up/email',
    tag: 'Authentication',
    summary: 'Sign up with email and password',
    description:
      'Answers the same whether the address was known or not; a known address gets an email that says so. At most 5 emails an hour go to one address. ' +
      'The cookie of the answer goes to /api/auth/verify-email only: in the browser that has it the emailed link confirms without another step.',
    access: 'public',
    effect: 'unkeyed',
  })
    .input(
      z.strictObject({
        email: z.string({ error: incomplete }).pipe(Email),
        password: z.string({ error: incomplete }).pipe(NewPassword),
        name: nameText(100).optional(),
        referralCode: ReferralCode,
        /**
         * PKCE (RFC 7636, S256): binds the emailed link's one-time code to the browser that signed
         * up.
         */
        codeChallenge: z
          .string()
          .regex(/^[\w-]{43}$/, 'must be the base64url of a SHA-256')
          .optional(),
      }),
    )
    .output(Success.extend({ message: z.string() })),

  confirmEmail: route({
    method: 'POST',
    path: '/auth/verify-email',
    tag: 'Authentication',
    summary: 'Confirm an email address by the token of its link',
    description:
      'Makes the account. In the browser that signed up (its cookie) the password of the sign-up counts; anywhere else it is dropped, and `password` is required as the new one.',
    access: 'public',
    effect: 'unkeyed',
    errors: ['INVALID_CODE'],
  })
    .input(z.strictObject({ token: requiredText(200), password: NewPassword.optional() }))
    .output(Success.extend({ message: z.string() })),

  signInEmail: route({
    method: 'POST',
    path: '/auth/sign-in/email',
    tag: 'Authentication',
    summary: 'Sign in with email and password',
    access: 'public',
    effect: 'unkeyed',
    errors: ['INVALID_CREDENTIALS', 'EMAIL_NOT_VERIFIED'],
  })
    .input(z.strictObject({ email: Email, password: z.string().min(1).max(1000) }))
    .output(SignedIn),

  exchange: route({
    method: 'POST',
    path: '/auth/exchange',
    tag: 'Authentication',
    summary: 'Turn a one-time code into a session',
    description:
      'The code lives 60 seconds, works once, and needs the verifier it was asked for with, where it was asked for with one.',
    access: 'public',
    effect: 'unkeyed',
    errors: ['INVALID_CODE'],
  })
    .input(
      z.strictObject({
        code: z.string({ error: noCode }).trim().min(1, noCode).max(200),
        codeVerifier: z.string().min(1).max(200).optional(),
      }),
    )
    .output(SignedIn),

  refresh: route({
    method: 'POST',
    path: '/auth/refresh',
    tag: 'Authentication',
    summary: 'Trade a refresh token for a new pair',
    description:
      'Rotates at each use. Using a rotated one again ends the session, except within 10 seconds (two tabs refreshing together).',
    access: 'public',
    effect: 'unkeyed',
    errors: ['UNAUTHORIZED'],
  })
    .input(z.strictObject({ refreshToken: z.string().min(1).max(500) }))
    .output(z.object({ token: z.string(), refreshToken: z.string(), expiresAt: Time })),

  signOut: route({
    method: 'POST',
    path: '/auth/sign-out',
    tag: 'Authentication',
    summary: 'Sign out here, elsewhere or everywhere',
    description: 'A session of single sign-on needs a reauthentication to end others.',
    access: 'viewer',
    effect: 'unkeyed',
    errors: ['REAUTHENTICATION_NEEDED'],
  })
    .input(
      z.preprocess(
        (body) => body ?? {},
        z.strictObject({ scope: z.enum(['local', 'others', 'global']).default('local') }),
      ),
    )
    .output(Success),

  jwks: route({
    method: 'GET',
    path: '/auth/jwks',
    tag: 'Authentication',
    summary: 'The public keys that access tokens are signed with',
    access: 'public',
    effect: 'none',
  }).output(z.object({ keys: z.array(z.record(z.string(), z.unknown())) })),

  me: route({
    method: 'GET',
    path: '/me',
    tag: 'Account',
    summary: 'Who is signed in, and in which workspace',
    access: 'viewer',
    effect: 'none',
  }).output(Me),
}
