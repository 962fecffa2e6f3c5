import { z } from 'zod'
import { Id, NoInput, Time, text, wholeNumber } from '../fields.ts'
import { routes } from '../route.ts'
import { OPT_OUT_WORD_LENGTH_MAX, OPT_OUT_WORDS_MAX } from './replies.ts'

const route = routes('Sending')

/** Maximum number of messages on the first day of warm-up. */
export const WARM_UP_START = 20
/** Factor by which warm-up raises that maximum each day. */
export const WARM_UP_GROWTH = 1.1

/**
 * Why sending waits. In this order: sending window, daily cap, warm-up, interval, X's own limit, the
 * plan's limit, X's bill (credits or spending limit), or the X app's 24-hour limit.
 */
const WAIT_REASONS = ['hours', 'cap', 'warm_up', 'pause', 'x', 'plan', 'funds', 'app'] as const
export type WaitReason = (typeof WAIT_REASONS)[number]

export const Waiting = z.object({ reason: z.enum(WAIT_REASONS), until: Time })

/**
 * Why a campaign waits. The reasons after WAIT_REASONS, in order: the X account is not connected, an
 * older campaign sends first, it is unknown whether the next people have replied, another campaign
 * messaged them in the past 24 hours, or X did not show whether they can be messaged.
 */
export const CampaignWait = z.object({
  reason: z.enum([...WAIT_REASONS, 'account', 'turn', 'detection', 'day_apart', 'inbox_unclear']),
  /** Null if unknown. */
  until: Time.nullable(),
})
export type CampaignWait = z.output<typeof CampaignWait>

/** Whether the name is UTC or a time zone of the IANA database. */
function isTimeZone(name: string): boolean {
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

/** Times of day. An end before the start is on the next day. */
const Hours = z
  .strictObject({ start: ClockTime, end: ClockTime })
  .refine(({ start, end }) => start !== end, { message: 'must differ from the start', path: ['end'] })

const limitFields = {
  /** An IANA time zone, such as Europe/Berlin. */
  timeZone: z.string().max(60).refine(isTimeZone, 'must be a name such as Europe/Berlin'),
  /** Days on which the sending window opens: 1 (Monday) to 7. */
  workDays: WorkDays,
  /** Null for all day. */
  hours: Hours.nullable(),
  /** At most the product's cap; null: the product's cap. */
  dailyCap: wholeNumber(1, 500).nullable(),
  warmUp: z.boolean(),
  /** At least the product's interval; null: the product's interval. */
  pauseSeconds: wholeNumber(0, 86_400).nullable(),
}

/** How far an account's warm-up is, and when it ends at the latest. */
export const WarmUp = z.object({
  /** From 1. */
  day: z.number().int(),
  /** The cap per 24 hours now. */
  capNow: z.number().int(),
  /** The cap per 24 hours after the warm-up. */
  fullCap: z.number().int(),
  /** The day (UTC) from which `fullCap` applies, such as '2026-12-31'. Moves until the first message is sent. */
  fullOn: z.string(),
})
export type WarmUp = z.output<typeof WarmUp>

/** The sending limits of one X account, and how much of them is used. */
export const SendingLimits = z.object({
  /** Null for the extension's limits while no X account is connected. */
  xAccountId: z.string().nullable(),
  /** Without the @. */
  handle: z.string().nullable(),
  ...limitFields,
  /** True until the workspace changes these limits. */
  isDefault: z.boolean(),
  /** Messages sent in the last 24 hours, over all campaigns, channels and workspaces. */
  sentInDay: z.number().int(),
  /** Usage of the cap in the last 24 hours. Claimed and refused messages count, too. */
  countedInDay: z.number().int(),
  /** The current cap per 24 hours, lower during warm-up. */
  capNow: z.number().int(),
  warmingUp: z.boolean(),
  /** Null if the account is not warming up. */
  warmUpNow: WarmUp.nullable(),
  /**
   * Number of messages that the account can send through the server's X app in the next 24 hours,
   * if all accounts take turns. Null if it uses another app, or X does not limit apps.
   */
  appShare: z.number().int().nullable(),
  waitingFor: Waiting.nullable(),
})
export type SendingLimits = z.output<typeof SendingLimits>

/** Default thresholds at which a campaign pauses automatically or warns. */
export const DEFAULT_PROTECTION = { refusalPercent: 20, closedInboxPercent: 60, optOutsPerHundred: 4 }
const protectionFields = {
  /** The campaign pauses if X refuses this share of its last 50 messages. Closed inboxes do not count. */
  refusalPercent: wholeNumber(5, 100).default(DEFAULT_PROTECTION.refusalPercent),
  /** The campaign warns if this share of its last 50 messages met a closed inbox. */
  closedInboxPercent: wholeNumber(5, 100).default(DEFAULT_PROTECTION.closedInboxPercent),
  /** The campaign pauses if this many of its last 100 messages led to an opt-out. Checked from the 50th message on. */
  optOutsPerHundred: wholeNumber(1, 100).default(DEFAULT_PROTECTION.optOutsPerHundred),
}
export const Protection = z.object(protectionFields)
export type Protection = z.output<typeof Protection>

export const SendingSettings = z.object({
  accounts: z.array(SendingLimits),
  /** The X app through which the workspace connects accounts. */
  xApp: z.object({
    /** True if the workspace brought this app. */
    isOwn: z.boolean(),
    /** Claims of the last 24 hours, over all accounts and workspaces of the app. */
    sentInDay: z.number().int(),
    /** Messages that X allows in 24 hours; null if X does not limit apps. */
    dailyLimit: z.number().int().nullable(),
  }),
  /** Product-wide limits that no setting can exceed. */
  limits: z.object({ dailyCap: z.number().int(), pauseSeconds: z.number() }),
  /** The workspace's own words, in addition to the built-in ones. */
  optOutWords: z.array(z.string()),
  basis: z.object({
    /** Whether campaigns may only message leads with a contact basis. */
    required: z.boolean(),
    /** Whether messages go to the real X, whose rules apply, and not to the stand-in. */
    isRealX: z.boolean(),
    liftedBy: z.string().nullable(),
    liftedAt: Time.nullable(),
  }),
  protection: Protection,
})
export type SendingSettings = z.output<typeof SendingSettings>

export const sendingSettings = {
  find: route('GET /sending/settings', 'viewer', 'none', {
    summary: 'Get the sending limits of each X account, the opt-out words, the contact basis and the protection',
  })
    .input(NoInput)
    .output(SendingSettings),

  saveLimits: route('PUT /sending/limits', 'admin', 'rows', {
    summary: 'Set the sending limits of an X account, from the next message on',
    errors: ['X_ACCOUNT_NOT_FOUND'],
  })
    .input(z.strictObject({ xAccountId: Id.nullable(), ...limitFields }))
    .output(SendingSettings),

  saveOptOutWords: route('PUT /sending/opt-out-words', 'admin', 'rows', {
    summary: "Set the workspace's own opt-out words, in addition to the built-in ones",
    description:
      'Case, full-width forms and surrounding punctuation are ignored. An empty list leaves only the built-in words, which no setting switches off.',
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

  saveProtection: route('PUT /sending/protection', 'admin', 'rows', {
    summary: 'Set when campaigns pause automatically; omitted values get their defaults',
  })
    .input(z.strictObject(protectionFields))
    .output(SendingSettings),

  saveBasis: route('PUT /sending/contact-basis', 'owner', 'rows', {
    summary: 'Require a contact basis, or stop requiring it',
    description: 'Queued messages are not affected.',
  })
    .input(
      z
        .strictObject({
          required: z.boolean(),
          /** Confirms that the owner has read X's rules on unsolicited messages. */
          hasReadRules: z.boolean().default(false),
        })
        .refine(({ required, hasReadRules }) => required || hasReadRules, {
          message: "Read X's rules first.",
          path: ['hasReadRules'],
        }),
    )
    .output(SendingSettings),
}
