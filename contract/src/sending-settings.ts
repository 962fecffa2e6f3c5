import { z } from 'zod'
import { Id, NoInput, Time, text, wholeNumber } from './fields.ts'
import { OPT_OUT_WORD_LENGTH_MAX, OPT_OUT_WORDS_MAX } from './replies.ts'
import { route } from './route.ts'

/** Warming up: so many messages in the first day, and each day a tenth more. */
export const WARM_UP_START = 20
export const WARM_UP_GROWTH = 1.1

/**
 * Why an account sends nothing at the moment: it is outside its working hours, has reached its daily cap or the cap of its warm-up,
 * keeps its pause between two messages, or X allows no more.
 */
export const WAIT_REASONS = ['hours', 'cap', 'warm_up', 'pause', 'x'] as const
export type WaitReason = (typeof WAIT_REASONS)[number]

export const Waiting = z.object({ reason: z.enum(WAIT_REASONS), until: Time })
export type Waiting = z.output<typeof Waiting>

/** Is it a time zone of the IANA database, or UTC? */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+\-/]*$/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

const ClockTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 09:00')
const WorkDays = z
  .array(wholeNumber(1, 7))
  .min(1, 'Choose at least one day.')
  .max(7)
  .transform((days) => [...new Set(days)].sort())

/** From a time of day to another; an end before the start is on the next day. */
const Hours = z
  .strictObject({ start: ClockTime, end: ClockTime })
  .refine(({ start, end }) => start !== end, { message: 'must differ from the start', path: ['end'] })

const limitFields = {
  /** A name of the IANA database, such as Europe/Berlin. */
  timeZone: z.string().max(60).refine(isTimeZone, 'must be a time zone such as Europe/Berlin'),
  /** Days on which working hours begin: 1 (Monday) to 7. */
  workDays: WorkDays,
  /** Null: all day. */
  hours: Hours.nullable(),
  /** Lower than the product's cap; null: that one. */
  dailyCap: wholeNumber(1, 500).nullable(),
  warmUp: z.boolean(),
  /** Longer than the product's pause; null: that one. */
  pauseSeconds: wholeNumber(0, 86_400).nullable(),
}

/** The pace of one X account, and how it stands at the moment. */
export const SendingLimits = z.object({
  /** Null: of what the extension sends while no X account is connected. */
  xAccountId: z.string().nullable(),
  /** Without the @. */
  handle: z.string().nullable(),
  ...limitFields,
  /** Nobody has set it yet. */
  isDefault: z.boolean(),
  /** Messages of the last 24 hours that were sent, over all campaigns, channels and workspaces. */
  sentInDay: z.number().int(),
  /** What counts for the cap in these 24 hours: what is in a sender's hands too, and what X was asked for and refused. */
  countedInDay: z.number().int(),
  /** What may be sent in 24 hours at the moment: the cap, or less while it warms up. */
  capNow: z.number().int(),
  warmingUp: z.boolean(),
  waitingFor: Waiting.nullable(),
})
export type SendingLimits = z.output<typeof SendingLimits>

export const SendingSettings = z.object({
  accounts: z.array(SendingLimits),
  /** What no setting goes beyond. */
  limits: z.object({ dailyCap: z.number().int(), pauseSeconds: z.number() }),
  optOutWords: z.array(z.string()),
  basis: z.object({
    /** Campaigns write only to leads with a contact basis. */
    required: z.boolean(),
    /** X is the real one: its rules hold. */
    isRealX: z.boolean(),
    liftedBy: z.string().nullable(),
    liftedAt: Time.nullable(),
  }),
})
export type SendingSettings = z.output<typeof SendingSettings>

export const sendingSettings = {
  find: route({
    method: 'GET',
    path: '/sending/settings',
    tag: 'Sending',
    summary: 'How the workspace sends: the pace of each X account, opt-out words, and whom campaigns may write to',
    access: 'viewer',
    effect: 'none',
  })
    .input(NoInput)
    .output(SendingSettings),

  saveLimits: route({
    method: 'PUT',
    path: '/sending/limits',
    tag: 'Sending',
    summary: 'Set the pace of an X account; it holds from the next message on',
    access: 'admin',
    effect: 'rows',
    errors: ['X_ACCOUNT_NOT_FOUND'],
  })
    .input(z.strictObject({ xAccountId: Id.nullable(), ...limitFields }))
    .output(SendingSettings),

  saveOptOutWords: route({
    method: 'PUT',
    path: '/sending/opt-out-words',
    tag: 'Sending',
    summary: 'Set the words by which a reply ends all writing to its sender; none brings the default ones back',
    access: 'admin',
    effect: 'rows',
  })
    .input(
      z.strictObject({
        words: z
          .array(
            text(OPT_OUT_WORD_LENGTH_MAX).refine(
              (word) => /[\p{L}\p{N}]/u.test(word),
              'must contain a letter or a digit',
            ),
          )
          .max(OPT_OUT_WORDS_MAX),
      }),
    )
    .output(SendingSettings),

  saveBasis: route({
    method: 'PUT',
    path: '/sending/contact-basis',
    tag: 'Sending',
    summary: 'Limit campaigns to leads with a contact basis, or lift that',
    description: 'What is queued already stays queued.',
    access: 'owner',
    effect: 'rows',
  })
    .input(
      z
        .strictObject({
          required: z.boolean(),
          /** The owner has read what X says about messages that nobody asked for. */
          hasReadRules: z.boolean().default(false),
        })
        .refine(({ required, hasReadRules }) => required || hasReadRules, {
          message: 'Read what X says first.',
          path: ['hasReadRules'],
        }),
    )
    .output(SendingSettings),
}
