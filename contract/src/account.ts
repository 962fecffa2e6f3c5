import { z } from 'zod'
import { FactorRemoval, NewPassword, SignedIn } from './auth.ts'
import { Email, Id, requiredName, requiredText, Success, Time } from './fields.ts'
import { route } from './route.ts'

/** Minutes for which a reauthentication allows sensitive changes. */
export const REAUTHENTICATED_MINUTES = 10
/** Digits of an emailed code. */
export const MAIL_CODE_DIGITS = 8

/** An account, as its owner sees it. */
export const User = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  createdAt: Time,
  /** False for accounts that sign in only through a provider such as Google. */
  hasPassword: z.boolean(),
  /**
   * The new address, until both mailboxes have confirmed the change; null: no change is pending.
   */
  pendingEmail: z.string().nullable(),
  /** Which of the two mailboxes have confirmed; null: no change is pending. */
  pendingEmailConfirmed: z.object({ present: z.boolean(), new: z.boolean() }).nullable(),
})
export type User = z.output<typeof User>

/** One session of an account. */
export const SignedInSession = z.object({
  id: z.string(),
  /** Whether this session makes the request. */
  current: z.boolean(),
  /** 'Firefox on Windows'; null if the user agent is unknown. */
  device: z.string().nullable(),
  deviceKind: z.enum(['desktop', 'mobile', 'tablet', 'extension', 'other']),
  /** The country's English name; null if unknown. */
  place: z.string().nullable(),
  createdAt: Time,
  lastSeenAt: Time,
})
export type SignedInSession = z.output<typeof SignedInSession>

const Said = Success.extend({ message: z.string() })
/** A code as it was emailed. Spaces are ignored. */
const MailCode = z
  .string()
  .max(50)
  .transform((code) => code.replace(/\s/g, ''))
const Password = z.string().min(1).max(1000)

export const account = {
  recover: route({
    method: 'POST',
    path: '/auth/recover',
    tag: 'Account',
    summary: 'Ask for a link to set a new password',
    description: 'Answers the same, after the same time, whether the address is known or not.',
    access: 'public',
    effect: 'unkeyed',
  })
    .input(z.strictObject({ email: Email }))
    .output(Said),

  resetPassword: route({
    method: 'POST',
    path: '/auth/reset-password',
    tag: 'Account',
    summary: 'Set a new password with the credentials of a mailed link',
    description:
      'The link opens {origin}/reset-password#token=…, works once and for an hour. Every session of the account ends. ' +
      'If the account has second factors, `factorRemoval` lists them; its ticket goes to POST /auth/factors/remove.',
    access: 'public',
    effect: 'unkeyed',
    errors: ['INVALID_CODE'],
  })
    .input(z.strictObject({ token: requiredText(200), password: NewPassword }))
    .output(Said.extend({ factorRemoval: FactorRemoval.optional() })),

  resend: route({
    method: 'POST',
    path: '/auth/resend',
    tag: 'Account',
    summary: 'Ask for the confirmation mail again',
    description: 'Answers the same for every address; mails only one that waits to be confirmed.',
    access: 'public',
    effect: 'unkeyed',
  })
    .input(z.strictObject({ email: Email }))
    .output(Said),

  sendCode: route({
    method: 'POST',
    path: '/auth/otp',
    tag: 'Account',
    summary: 'Ask for a one-time code by mail to sign in with',
    description: 'Answers the same for every address. The code is good only together with the ticket of this answer.',
    access: 'public',
    effect: 'unkeyed',
  })
    .input(z.strictObject({ email: Email }))
    .output(Said.extend({ ticket: z.string() })),

  verifyCode: route({
    method: 'POST',
    path: '/auth/verify',
    tag: 'Account',
    summary: 'Sign in with a mailed one-time code',
    description: 'A code works once, for 10 minutes, and is used up by 5 wrong tries.',
    access: 'public',
    effect: 'unkeyed',
    errors: ['INVALID_CODE'],
  })
    .input(z.strictObject({ ticket: requiredText(200), code: MailCode }))
    .output(SignedIn),

  findUser: route({
    method: 'GET',
    path: '/auth/user',
    tag: 'Account',
    summary: 'The account of who is signed in',
    access: 'viewer',
    effect: 'none',
  }).output(User),

  updateUser: route({
    method: 'PATCH',
    path: '/auth/user',
    tag: 'Account',
    summary: 'Change name, password or address',
    description:
      'Password and address need the current password or a fresh reauthentication; so does the name from a session of single sign-on. A new password ends every other session. ' +
      'A new address counts once its mailbox and the present one have both confirmed by their mailed links (24 hours); the present address ends such a change.',
    access: 'viewer',
    effect: 'unkeyed',
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

  reauthenticate: route({
    method: 'POST',
    path: '/auth/reauthenticate',
    tag: 'Account',
    summary: 'Prove who one is before a sensitive change',
    description:
      `With nothing: a code is mailed, and the answer has its ticket. With the password, or with ticket and code: this session is trusted for ${REAUTHENTICATED_MINUTES} minutes. ` +
      'A session of single sign-on, which works in its workspace only, becomes one of the account by it.',
    access: 'viewer',
    effect: 'unkeyed',
    errors: ['INVALID_CREDENTIALS', 'INVALID_CODE'],
  })
    .input(
      z.strictObject({
        password: Password.optional(),
        ticket: requiredText(200).optional(),
        code: MailCode.optional(),
      }),
    )
    .output(Said.extend({ ticket: z.string().nullable(), goodUntil: Time.nullable() })),

  listSessions: route({
    method: 'GET',
    path: '/auth/sessions',
    tag: 'Account',
    summary: 'Where one is signed in, the most recently used first',
    access: 'viewer',
    effect: 'none',
  }).output(z.object({ sessions: z.array(SignedInSession) })),

  endSession: route({
    method: 'DELETE',
    path: '/auth/sessions/{id}',
    tag: 'Account',
    summary: 'End one session',
    description: 'A session of single sign-on needs a reauthentication to end another one.',
    access: 'viewer',
    effect: 'unkeyed',
    successStatus: 204,
    errors: ['SESSION_NOT_FOUND', 'REAUTHENTICATION_NEEDED'],
  }).input(z.strictObject({ id: Id })),
}
