import { z } from 'zod'
import { Id, NoInput, requiredText, Success, Time, text } from '../fields.ts'
import { routes } from '../route.ts'

const route = routes('Extension')

/** Prefix of extension tokens, so that leaked ones can be recognized. */
export const EXTENSION_TOKEN_PREFIX = 'xae_'
/** How long a pairing code is valid. */
export const PAIRING_CODE_MINUTES = 10
/** Maximum number of paired extensions per account. */
export const PAIRINGS_MAX = 20

/** A browser extension that can send for the account that paired it. */
export const Pairing = z.object({
  id: z.string(),
  /** Such as 'Chrome on Windows'; null if unknown. */
  device: z.string().nullable(),
  version: z.string(),
  /** The account that was signed in to X at the last report. Null if none was, or X has not been open. */
  signedInAs: z.string().nullable(),
  paused: z.boolean(),
  /** The part of X's page that the extension can no longer find; null if it finds all parts. */
  pageChanged: z.string().nullable(),
  /** Whether the extension sends while no page of the product is open. */
  sendsInBackground: z.boolean(),
  createdAt: Time,
  lastSeenAt: Time,
})
export type Pairing = z.output<typeof Pairing>

const version = requiredText(50)
/** A pairing code. Spaces, dashes and case are ignored. */
const PairingCode = z
  .string()
  .max(50)
  .transform((code) => code.replace(/[\s-]/g, '').toUpperCase())

/** What the extension reports with every poll. */
const Report = z
  .strictObject({
    version,
    signedInAs: text(50).nullable(),
    paused: z.boolean(),
    pageChanged: text(200).nullable(),
    sendsInBackground: z.boolean().optional(),
    /** The former name of `sendsInBackground`, for older extensions. Remove it in 1.1. */
    sendsAlone: z.boolean().optional(),
  })
  .refine(({ sendsInBackground, sendsAlone }) => (sendsInBackground ?? sendsAlone) !== undefined, {
    message: 'must be true or false',
    path: ['sendsInBackground'],
  })

/** The account's data in the popup. */
const ExtensionState = z.object({
  account: z.object({ email: z.string(), workspaceName: z.string() }),
  /** Usage of `dailyCap` in the last 24 hours. */
  sentToday: z.number().int(),
  /** The daily cap of the X account that sends next. */
  dailyCap: z.number().int(),
  /** Active campaigns on the channel 'extension'. */
  campaigns: z.number().int(),
  /** Queued messages of these campaigns. */
  queued: z.number().int(),
  /** The version available for download; null if none. */
  latestVersion: z.string().nullable(),
})
export type ExtensionState = z.output<typeof ExtensionState>

export const extension = {
  list: route('GET /extension/pairings', 'viewer', 'none', {
    summary: 'List your paired extensions, most recently seen first',
  }).output(
    z.object({
      pairings: z.array(Pairing),
      /** The version of /extension.zip; null if it was not built. */
      latestVersion: z.string().nullable(),
    }),
  ),

  createCode: route('POST /extension/codes', 'member', 'unkeyed', {
    summary: 'Create a one-time code that pairs an extension',
    description: `Valid once, for ${PAIRING_CODE_MINUTES} minutes.`,
    errors: ['TOO_MANY'],
  })
    .input(NoInput)
    .output(z.object({ code: z.string(), expiresAt: Time })),

  pair: route('POST /extension/pair', 'public', 'unkeyed', {
    summary: 'Exchange a pairing code for an extension token',
    description:
      'For the extension itself. The token can only claim messages, report on them and read the sending state. It is valid until the extension is unpaired.',
    errors: ['INVALID_CODE'],
  })
    .input(z.strictObject({ code: PairingCode, version }))
    .output(z.object({ token: z.string(), email: z.string(), workspaceName: z.string() })),

  report: route('POST /extension/state', 'viewer', 'unkeyed', {
    summary: "Report the extension's status and read the sending state",
    description: 'Requires an extension token.',
    byExtension: true,
    errors: ['PAIRING_NOT_FOUND'],
  })
    .input(Report)
    .output(ExtensionState),

  pages: route('GET /extension/pages', 'public', 'none', {
    summary: "Read what the extension looks for on X's pages",
    description:
      'CSS selectors and paths under x.com, signed with Ed25519. Extensions fetch them daily, and use them only if the signature is valid, `notAfter` has not passed, and `version` is not lower than before.',
    errors: ['NOT_FOUND'],
  }).output(
    z.object({
      version: z.number().int(),
      notAfter: z.string(),
      pages: z.record(z.string(), z.array(z.string())),
      signature: z.string(),
    }),
  ),

  unpair: route('POST /extension/unpair', 'viewer', 'unkeyed', {
    summary: 'Unpair the calling extension',
    description: 'Requires an extension token.',
    byExtension: true,
    errors: ['PAIRING_NOT_FOUND'],
  })
    .input(NoInput)
    .output(Success),

  remove: route('DELETE /extension/pairings/{id}', 'viewer', 'unkeyed', {
    summary: 'Unpair an extension and revoke its token',
    errors: ['PAIRING_NOT_FOUND'],
  }).input(z.strictObject({ id: Id })),
}
