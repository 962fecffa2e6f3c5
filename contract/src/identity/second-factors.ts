import { z } from 'zod'
import { Id, NoInput, nameText, requiredName, requiredText, Success, Time, text } from '../fields.ts'
import { routes } from '../route.ts'
import { FactorKind, Session } from './auth.ts'

const route = routes('Account')
const signInRoute = routes('Authentication')

/** A second factor of an account. */
export const Factor = z.object({
  id: z.string(),
  kind: FactorKind,
  name: z.string(),
  createdAt: Time,
  lastUsedAt: Time.nullable(),
})
export type Factor = z.output<typeof Factor>

/** `details` of REAUTHENTICATION_NEEDED in GET /auth/factors: the factors that can reauthenticate the session. */
export interface FactorsToProve {
  factors: Pick<Factor, 'id' | 'kind'>[]
}

/** JSON for `PublicKeyCredential.parse…OptionsFromJSON` (WebAuthn Level 3). */
const PasskeyOptions = z.record(z.string(), z.unknown())
/** A passkey's response: `credential.toJSON()`. */
const Credential = z.looseObject({
  id: z.string().max(2_000),
  rawId: z.string().max(2_000),
  type: z.literal('public-key'),
  response: z.looseObject({ clientDataJSON: z.string().max(10_000), transports: z.array(text(50)).max(20).optional() }),
})
/** Six digits from an authenticator app, or a recovery code. Spaces and dashes are ignored. */
const FactorCode = z
  .string()
  .max(50)
  .transform((code) => code.replace(/[\s-]/g, '').toLowerCase())
const Ticket = requiredText(200)

export const secondFactors = {
  list: route('GET /auth/factors', 'viewer', 'none', {
    summary: 'List your second factors',
    description:
      'A single sign-on session must reauthenticate first: 403 REAUTHENTICATION_NEEDED with details { factors } has the id and kind of each factor, to reauthenticate with one.',
    errors: ['REAUTHENTICATION_NEEDED'],
  }).output(z.object({ factors: z.array(Factor), recoveryCodesLeft: z.number().int() })),

  enrol: route('POST /auth/factors', 'viewer', 'unkeyed', {
    summary: 'Start adding a second factor',
    description:
      'Requires a recent reauthentication. `totp` returns the secret and its otpauth: URL for a QR code, `passkey` the options for the browser. The factor takes effect once it is verified, within 10 minutes.',
    errors: ['REAUTHENTICATION_NEEDED'],
  })
    .input(z.strictObject({ kind: FactorKind, name: nameText(100).optional() }))
    .output(
      z.object({
        id: z.string(),
        kind: FactorKind,
        name: z.string(),
        secret: z.string().nullable(),
        uri: z.string().nullable(),
        options: PasskeyOptions.nullable(),
      }),
    ),

  challenge: route('POST /auth/factors/{id}/challenge', 'viewer', 'unkeyed', {
    summary: 'Start a check with a second factor',
    description: 'For a passkey, returns the options for the browser. An authenticator app needs none.',
    errors: ['FACTOR_NOT_FOUND'],
  })
    .input(z.strictObject({ id: Id }))
    .output(z.object({ options: PasskeyOptions.nullable() })),

  verify: route('POST /auth/factors/{id}/verify', 'viewer', 'unkeyed', {
    summary: 'Verify a factor',
    description:
      'A new factor takes effect; the first one also returns the recovery codes, which are shown only once. An existing factor allows sensitive changes for 10 minutes, like a reauthentication.',
    errors: ['FACTOR_NOT_FOUND', 'INVALID_CODE'],
  })
    .input(z.strictObject({ id: Id, code: FactorCode.optional(), credential: Credential.optional() }))
    .output(Success.extend({ recoveryCodes: z.array(z.string()).nullable() })),

  rename: route('PATCH /auth/factors/{id}', 'viewer', 'unkeyed', {
    summary: 'Rename a second factor',
    description: 'A single sign-on session must reauthenticate first.',
    errors: ['FACTOR_NOT_FOUND', 'REAUTHENTICATION_NEEDED'],
  })
    .input(z.strictObject({ id: Id, name: requiredName(100) }))
    .output(Factor),

  remove: route('DELETE /auth/factors/{id}', 'viewer', 'unkeyed', {
    summary: 'Remove a second factor',
    description: 'Requires a recent reauthentication. Removing the last one also deletes the recovery codes.',
    errors: ['FACTOR_NOT_FOUND', 'REAUTHENTICATION_NEEDED'],
  }).input(z.strictObject({ id: Id })),

  removeByMailbox: signInRoute('POST /auth/factors/remove', 'public', 'unkeyed', {
    summary: 'Remove the second factors that were added before a password reset',
    description:
      'Requires the ticket of POST /auth/reset-password, within 15 minutes. Factors that were added later are kept. Removing the last one also deletes the recovery codes.',
    errors: ['INVALID_CODE'],
  })
    .input(z.strictObject({ ticket: requiredText(500) }))
    .output(Success.extend({ message: z.string() })),

  renewRecoveryCodes: route('POST /auth/recovery-codes', 'viewer', 'unkeyed', {
    summary: 'Create new recovery codes and invalidate the old ones',
    description: 'Requires a recent reauthentication and a second factor.',
    errors: ['FACTOR_NOT_FOUND', 'REAUTHENTICATION_NEEDED'],
  })
    .input(NoInput)
    .output(z.object({ recoveryCodes: z.array(z.string()) })),

  signInChallenge: signInRoute('POST /auth/sign-in/challenge', 'public', 'unkeyed', {
    summary: 'Start the second step of a sign-in with a passkey',
    errors: ['INVALID_CODE'],
  })
    .input(z.strictObject({ ticket: Ticket }))
    .output(z.object({ options: PasskeyOptions })),

  signIn: signInRoute('POST /auth/sign-in/second-factor', 'public', 'unkeyed', {
    summary: 'Complete the second step of a sign-in',
    description:
      'Requires the ticket of the first step, and a code from an authenticator app, a recovery code, or the response of a passkey. A ticket expires after 10 minutes or 5 wrong attempts.',
    errors: ['INVALID_CODE'],
  })
    .input(z.strictObject({ ticket: Ticket, code: FactorCode.optional(), credential: Credential.optional() }))
    .output(Session),
}
