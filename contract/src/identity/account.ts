import { z } from 'zod'
import { Email, Id, requiredName, requiredText, Success, Time } from '../fields.ts'
import { routes } from '../route.ts'
import { FactorRemoval, NewPassword, SignedIn } from './auth.ts'

const route = routes('Account')

/** Minutes for which a reauthentication allows sensitive changes. */
export const REAUTHENTICATED_MINUTES = 10
/** Number of digits in an emailed code. */
export const MAIL_CODE_DIGITS = 8

/** An account, as its user sees it. */
export const User = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  createdAt: Time,
  /** False for accounts that only sign in through a provider such as Google. */
  hasPassword: z.boolean(),
  /** The new email address while its change is pending, else null. */
  pendingEmail: z.string().nullable(),
  /** Which of the two addresses have been confirmed; null if no change is pending. */
  pendingEmailConfirmed: z.object({ present: z.boolean(), new: z.boolean() }).nullable(),
})
export type User = z.output<typeof User>

/** One session of an account. */
export const SignedInSession = z.object({
  id: z.string(),
  /** Whether this session made the request. */
  current: z.boolean(),
  /** Such as 'Firefox on Windows'; null if the user agent is unknown. */
  device: z.string().nullable(),
  deviceKind: z.enum(['desktop', 'mobile', 'tablet', 'extension', 'other']),
  /** The country's English name; null if unknown. */
  place: z.string().nullable(),
  createdAt: Time,
  lastSeenAt: Time,
})
export type SignedInSession = z.output<typeof SignedInSession>

const WithMessage = Success.extend({ message: z.string() })
/** An emailed code. Spaces are ignored. */
const MailCode = z
  .string()
  .max(50)
  .transform((code) => code.replace(/\s/g, ''))
const Password = z.string().min(1).max(1000)

export const account = {
  recover: route('POST /auth/recover', 'public', 'unkeyed', {
    summary: 'Ask for a link to set a new password',
    description: 'The response and its timing are the same for known and unknown addresses.',
  })
    .input(z.strictObject({ email: Email }))
    .output(WithMessage),

  resetPassword: route('POST /auth/reset-password', 'public', 'unkeyed', {
    summary: 'Set a new password with the token of an emailed link',
    description:
      'The link opens {origin}/reset-password#token=…, works once and expires after an hour. The reset ends every session of the account. ' +
      'If the account has second factors, `factorRemoval` lists them; its ticket goes to POST /auth/factors/remove.',
    errors: ['INVALID_CODE'],
  })
    .input(z.strictObject({ token: requiredText(200), password: NewPassword }))
    .output(WithMessage.extend({ factorRemoval: FactorRemoval.optional() })),

  resend: route('POST /auth/resend', 'public', 'unkeyed', {
    summary: 'Send the confirmation email again',
    description: 'The response is the same for every address. Only an unconfirmed one gets an email.',
  })
    .input(z.strictObject({ email: Email }))
    .output(WithMessage),

  sendCode: route('POST /auth/otp', 'public', 'unkeyed', {
    summary: 'Email a one-time sign-in code',
    description: 'The response is the same for every address. The code only works with the ticket of this response.',
  })
    .input(z.strictObject({ email: Email }))
    .output(WithMessage.extend({ ticket: z.string() })),

  verifyCode: route('POST /auth/verify', 'public', 'unkeyed', {
    summary: 'Sign in with an emailed one-time code',
    description: 'A code works once, within 10 minutes. Five wrong attempts invalidate it.',
    errors: ['INVALID_CODE'],
  })
    .input(z.strictObject({ ticket: requiredText(200), code: MailCode }))
    .output(SignedIn),

  findUser: route('GET /auth/user', 'viewer', 'none', { summary: 'Get your account' }).output(User),

  updateUser: route('PATCH /auth/user', 'viewer', 'unkeyed', {
    summary: 'Change your name, password or email address',
    description:
      'Changing the password or the address requires the current password or a recent reauthentication; so does changing the name in a single sign-on session. A new password ends every other session. ' +
      'A new address takes effect after both the old and the new mailbox have confirmed it by link, within 24 hours. Sending the current address cancels the change.',
    errors: ['REAUTHENTICATION_NEEDED', 'INVALID_CREDENTIALS'],
  })
    .input(
      z.strictObject({
        name: requiredName(100).optional(),
        password: NewPassword.optional(),
        email: Email.optional(),
        currentPassword: Password.optional(),
      }),
    )
    .output(User),

  reauthenticate: route('POST /auth/reauthenticate', 'viewer', 'unkeyed', {
    summary: 'Reauthenticate before a sensitive change',
    description:
      `An empty body emails a code and returns its ticket. The password, or ticket and code, allow sensitive changes in this session for ${REAUTHENTICATED_MINUTES} minutes. ` +
      'A single sign-on session can then also open your other workspaces.',
    errors: ['INVALID_CREDENTIALS', 'INVALID_CODE'],
  })
    .input(
      z.strictObject({
        password: Password.optional(),
        ticket: requiredText(200).optional(),
        code: MailCode.optional(),
      }),
    )
    .output(WithMessage.extend({ ticket: z.string().nullable(), goodUntil: Time.nullable() })),

  listSessions: route('GET /auth/sessions', 'viewer', 'none', {
    summary: 'List your sessions, most recently used first',
    description: 'A single sign-on session must reauthenticate first.',
    errors: ['REAUTHENTICATION_NEEDED'],
  }).output(z.object({ sessions: z.array(SignedInSession) })),

  endSession: route('DELETE /auth/sessions/{id}', 'viewer', 'unkeyed', {
    summary: 'End a session',
    description: 'A single sign-on session must reauthenticate to end another one.',
    errors: ['SESSION_NOT_FOUND', 'REAUTHENTICATION_NEEDED'],
  }).input(z.strictObject({ id: Id })),
}
