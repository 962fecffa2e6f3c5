import { z } from 'zod'
import { Id, Time, text } from '../fields.ts'
import { SkipReason } from '../reason.ts'
import { STEPS_MAX } from './sequence-limits.ts'
import { ReengagementInput, refineMessages, StepInput, VariantInput, variantsOf } from './steps.ts'
import { MESSAGE_MAX } from './template.ts'

/** Maximum number of people, from the start of the list, whose messages are checked for empty variables. */
export const LEADS_CHECKED_MAX = 1_000

/** The bill assumes that one in this many people replies. */
export const REPLIES_ONE_IN = 4

/** Warnings before a launch. */
const PREFLIGHT_WARNINGS = [
  /** The plan's limit does not cover everyone. */
  'plan',
  /** People are skipped because they have no contact basis. */
  'no_basis',
  /** There are follow-ups, but replies are not detected. */
  'no_detection',
  'no_x_account',
  /** Most people don't accept messages from the account. */
  'closed_inboxes',
  /** At these sending limits, the campaign never ends. */
  'never_ends',
  /** X's bill for the campaign exceeds what the workspace may still spend this month. */
  'spending',
  /** Some people have no known first name, so they get the variable's fallback. `missing` has their number. */
  'no_first_name',
] as const
export type PreflightWarning = (typeof PREFLIGHT_WARNINGS)[number]

/** The schedule of a campaign's messages if nobody replies. For a running campaign, only what is left. */
export const Preflight = z.object({
  /** People in the list. */
  leads: z.number().int(),
  willSend: z.number().int(),
  /** Number of people whose first message the plan allows now. */
  limitNow: z.number().int(),
  /** When the next people get their first message; null if nobody waits for the plan. */
  waitUntil: Time.nullable(),
  /** Skipped people by reason, most people first, with up to three handles each. */
  skipped: z.array(z.object({ reason: SkipReason, count: z.number().int(), sample: z.array(z.string()) })),
  /** The next three messages. */
  messages: z.array(
    z.object({
      leadId: z.string(),
      twitterHandle: z.string(),
      stepNumber: z.number().int(),
      /** The variant's name. */
      variant: z.string(),
      message: z.string(),
    }),
  ),
  /** Number of people checked, from the start of the list. At most LEADS_CHECKED_MAX. */
  checked: z.number().int(),
  /** Variables, as written, that are empty for some of the checked people, who get the fallback. */
  missing: z.array(z.object({ place: z.string(), leads: z.number().int() })),
  /** Messages of the account's other campaigns that are sent first. */
  ahead: z.number().int(),
  /** Null if nothing is sent. */
  firstSendAt: Time.nullable(),
  /** Null if nothing is sent, or sending never ends at these limits. */
  lastSendAt: Time.nullable(),
  /** Days on which messages are sent, in the account's time zone; at most 366. */
  perDay: z.array(z.object({ date: z.string(), count: z.number().int(), followUps: z.number().int() })),
  /** X's charges for sending, and for reading conversations before follow-ups; null if it is free. */
  costCents: z.number().int().nullable(),
  /**
   * X's total charges if every message is sent and one in REPLIES_ONE_IN people replies: for
   * messages, replies, lookups, and one read of each message and reply. Null if it is free.
   */
  billCents: z.number().int().nullable(),
  plan: z.object({
    /** DMs a month; null if unlimited. */
    limit: z.number().int().nullable(),
    used: z.number().int(),
    remaining: z.number().int().nullable(),
    resetsAt: Time,
  }),
  warnings: z.array(z.enum(PREFLIGHT_WARNINGS)),
})
export type Preflight = z.output<typeof Preflight>

const unfinished = text(MESSAGE_MAX)

/** A campaign whose form may be incomplete. */
export const PreflightInput = z
  .strictObject({
    leadListId: Id,
    /** Shorthand for `steps`: one step with one variant. */
    messageTemplate: unfinished.optional(),
    steps: z
      .array(StepInput.extend({ variants: variantsOf(VariantInput.extend({ messageTemplate: unfinished })) }))
      .min(1)
      .max(STEPS_MAX)
      .optional(),
    reengagement: ReengagementInput.extend({ messageTemplate: unfinished }).nullable().optional(),
    channel: z.enum(['api', 'extension']).default('api'),
    xAccountId: Id.optional(),
    /** Include leads whom another campaign has messaged. */
    allowRepeat: z.boolean().default(false),
    /** Include leads who have replied. */
    allowReplied: z.boolean().default(false),
  })
  .superRefine(refineMessages)
