import { z } from 'zod'
import { Id, requiredText, Time, wholeNumber } from '../fields.ts'
import { REPLY_LABELS } from '../leads/leads.ts'
import { routes } from '../route.ts'

const route = routes('Replies', 'conversations')

/** Maximum length of a stored reply. The rest is cut off. */
export const REPLY_TEXT_MAX = 10_000

/** Number of days for which the texts of conversations are kept: its limits and its default. */
export const KEEP_TEXTS_DAYS = { min: 30, max: 3_650, default: 365 } as const

/** Maximum number of a workspace's own opt-out words, which add to the built-in ones. */
export const OPT_OUT_WORDS_MAX = 50
export const OPT_OUT_WORD_LENGTH_MAX = 50

/** How replies to the workspace's X accounts are detected. */
export const ReplyDetection = z.object({
  /**
   * `live`: X notifies us. `degraded`: an account is only read every 90 seconds, or cannot be read.
   * `starting`: an account was just connected. `off`: no account is connected.
   */
  state: z.enum(['live', 'degraded', 'starting', 'off']),
  /** Why detection is degraded, as text. */
  problem: z.string().nullable(),
  /** Every account's conversations were completely read up to this time. */
  checkedAt: Time.nullable(),
  /** Accounts with message requests in X Chat. X does not report their texts, so these only appear on X. */
  requestsOf: z.array(z.string()),
})
export type ReplyDetection = z.output<typeof ReplyDetection>

const ConversationSettings = z.object({
  /** Number of days for which texts are kept. Times and labels are kept longer. */
  keepTextsDays: wholeNumber(KEEP_TEXTS_DAYS.min, KEEP_TEXTS_DAYS.max),
})

/** The meaning of a text as a reply. */
const ClassifiedText = z.object({
  /** Null if the text is in an unknown language or mixes two. */
  label: z.enum(REPLY_LABELS).nullable(),
  /** The probability that the label is right: 1 if a rule decided, 0 without a label. */
  confidence: z.number().min(0).max(1),
  /** ISO 639-1; 'und' if the text has no letters or its language is unknown. */
  language: z.string(),
  /** The start of the day that the text names: when the writer returns, wants to hear more or wants to meet. */
  date: Time.nullable(),
})

export const replies = {
  detection: route('GET /replies/detection', 'viewer', 'none', {
    summary: 'Get how replies are currently detected',
  }).output(ReplyDetection),

  classify: route('POST /replies/classify', 'member', 'none', {
    summary: 'Label texts as if they were replies; stores nothing',
    description: 'Counts as one call per 10 texts. Days start in UTC.',
  })
    .input(
      z.strictObject({
        texts: z.array(requiredText(REPLY_TEXT_MAX)).min(1).max(100),
        /**
         * The day on which the texts were written, such as 2026-11-20, to interpret "tomorrow".
         * Defaults to today in UTC.
         */
        writtenOn: z.iso
          .date()
          .refine((day) => day < '2100', 'must be before 2100')
          .optional(),
      }),
    )
    .output(z.object({ results: z.array(ClassifiedText) })),

  removeText: route('DELETE /replies/{id}/text', 'member', 'rows', {
    summary: 'Delete the text of a reply; the reply still counts',
    errors: ['REPLY_NOT_FOUND'],
  }).input(z.strictObject({ id: Id })),

  settings: route('GET /conversations/settings', 'member', 'none', {
    byKey: false,
    summary: 'Get how long texts of conversations are kept',
  }).output(ConversationSettings),

  saveSettings: route('PUT /conversations/settings', 'admin', 'rows', {
    summary: 'Change how long texts of conversations are kept; older ones are deleted within an hour',
  })
    .input(z.strictObject(ConversationSettings.shape))
    .output(ConversationSettings),
}
