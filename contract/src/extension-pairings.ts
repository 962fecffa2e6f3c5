import { z } from 'zod'
import { Id, NoInput, requiredText, Success, Time, text } from './fields.ts'
import { route } from './route.ts'

/** What an extension's own token begins with, so that it is known for what it is wherever it turns up. */
export const EXTENSION_TOKEN_PREFIX = 'xae_'
/** How long a pairing code is good. */
export const PAIRING_CODE_MINUTES = 10
/** How many extensions one account may have paired at once. */
export const PAIRINGS_MAX = 20

/** A browser extension that may send for its owner. */
export const Pairing = z.object({
  id: z.string(),
  /** 'Chrome on Windows'; null where the browser did not say. */
  device: z.string().nullable(),
  version: z.string(),
  /** Who was signed in to X in that browser when it last reported, without @; null: nobody, or X was not open yet. */
  signedInAs: z.string().nullable(),
  paused: z.boolean(),
  /** The part of X's page that it does not find any more; null while all is well. */
  pageChanged: z.string().nullable(),
  /** Does it send while no page of the product is open? */
  sendsInBackground: z.boolean(),
  createdAt: Time,
  lastSeenAt: Time,
})
export type Pairing = z.output<typeof Pairing>

const version = requiredText(50)
/** As people type it: spaces and the dash do not count, nor does upper or lower case. */
const PairingCode = z
  .string()
  .max(50)
  .transform((code) => code.replace(/[\s-]/g, '').toUpperCase())

/** What the extension says of itself each time it looks. */
const Report = z
  .strictObject({
    version,
    signedInAs: text(50).nullable(),
    paused: z.boolean(),
    pageChanged: text(200).nullable(),
    sendsInBackground: z.boolean().optional(),
    /** The former name of `sendsInBackground`: installed extensions update later than the server. Drop it in 1.1. */
    sendsAlone: z.boolean().optional(),
  })
  .refine(({ sendsInBackground, sendsAlone }) => (sendsInBackground ?? sendsAlone) !== undefined, {
    message: 'must be true or false',
    path: ['sendsInBackground'],
  })

/** What the popup shows of the account. */
const ExtensionState = z.object({
  account: z.object({ email: z.string(), workspaceName: z.string() }),
  /** Messages that count for the cap of the X account that sends next, over the last 24 hours, and that cap. */
  sentToday: z.number().int(),
  dailyCap: z.number().int(),
  /** Active campaigns of channel 'extension', and what they have queued. */
  campaigns: z.number().int(),
  queued: z.number().int(),
  /** The version that the product hands out; null where it hands out none. */
  latestVersion: z.string().nullable(),
})
export type ExtensionState = z.output<typeof ExtensionState>

export const extension = {
  list: route({
    method: 'GET',
    path: '/extension/pairings',
    tag: 'Extension',
    summary: 'The paired extensions of who is signed in, the most recently seen first',
    access: 'viewer',
    effect: 'none',
  }).output(
    z.object({
      pairings: z.array(Pairing),
      /** What /extension.zip holds; null where it was not built. */
      latestVersion: z.string().nullable(),
    }),
  ),

  createCode: route({
    method: 'POST',
    path: '/extension/codes',
    tag: 'Extension',
    summary: 'Make a one-time code that pairs an extension',
    description: `Good for ${PAIRING_CODE_MINUTES} minutes, once.`,
    access: 'member',
    effect: 'unkeyed',
    errors: ['TOO_MANY'],
  })
    .input(NoInput)
    .output(z.object({ code: z.string(), expiresAt: Time })),

  pair: route({
    method: 'POST',
    path: '/extension/pair',
    tag: 'Extension',
    summary: 'Trade a code for a token of the extension’s own',
    description:
      'For the extension itself. The token claims messages, reports on them and reads the state of sending; it opens nothing else, and is good until its pairing is ended.',
    access: 'public',
    effect: 'unkeyed',
    errors: ['INVALID_CODE'],
  })
    .input(z.strictObject({ code: PairingCode, version }))
    .output(z.object({ token: z.string(), email: z.string(), workspaceName: z.string() })),

  report: route({
    method: 'POST',
    path: '/extension/state',
    tag: 'Extension',
    summary: 'Say how the extension is, and read the state of sending',
    description: 'With an extension’s token only.',
    access: 'viewer',
    effect: 'unkeyed',
    byExtension: true,
    errors: ['PAIRING_NOT_FOUND'],
  })
    .input(Report)
    .output(ExtensionState),

  unpair: route({
    method: 'POST',
    path: '/extension/unpair',
    tag: 'Extension',
    summary: 'End the pairing of the extension that asks',
    description: 'With an extension’s token only.',
    access: 'viewer',
    effect: 'unkeyed',
    byExtension: true,
    errors: ['PAIRING_NOT_FOUND'],
  })
    .input(NoInput)
    .output(Success),

  remove: route({
    method: 'DELETE',
    path: '/extension/pairings/{id}',
    tag: 'Extension',
    summary: 'End a pairing: its token is good for nothing from then on',
    access: 'viewer',
    effect: 'unkeyed',
    successStatus: 204,
    errors: ['PAIRING_NOT_FOUND'],
  }).input(z.strictObject({ id: Id })),
}
