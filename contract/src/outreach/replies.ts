import { z } from 'zod'
import { Id, Time, wholeNumber } from '../fields.ts'
import { routes } from '../route.ts'

const route = routes('Replies')

/** Maximum length of a stored reply; the rest is cut. */
export const REPLY_TEXT_MAX = 10_000

/** Default opt-out phrases. Case, full-width forms and surrounding punctuation are ignored. */
export const DEFAULT_OPT_OUT_WORDS = [
  'stop',
  'unsubscribe',
  'opt out',
  'opt-out',
  'optout',
  'remove me',
  'take me off',
  'do not contact',
  "don't contact",
  'do not message',
  "don't message",
  'leave me alone',
] as const
/** How long texts of conversations are kept, in days. */
export const KEEP_TEXTS_DAYS = { min: 30, max: 3_650, default: 365 } as const

export const OPT_OUT_WORDS_MAX = 50
export const OPT_OUT_WORD_LENGTH_MAX = 50

/** How replies to the workspace's X accounts are detected. */
export const ReplyDetection = z.object({
  /**
   * `live`: X notifies us; `degraded`: at least one account is only polled, every 90 seconds;
   * `starting`: an account was just connected; `off`: no account is connected.
   */
  state: z.enum(['live', 'degraded', 'starting', 'off']),
  /** Why it is degraded, as a text to show. */
  problem: z.string().nullable(),
  /** The least recent poll over all accounts. */
  checkedAt: Time.nullable(),
})
export type ReplyDetection = z.output<typeof ReplyDetection>

const ConversationSettings = z.object({
  /** Older texts are deleted; times and labels stay. */
  keepTextsDays: wholeNumber(KEEP_TEXTS_DAYS.min, KEEP_TEXTS_DAYS.max),
})

export const replies = {
  detection: route('GET /replies/detection', 'viewer', 'none', {
    summary: 'Get how replies are currently detected',
  }).output(ReplyDetection),

  removeText: route('DELETE /replies/{id}/text', 'member', 'rows', {
    summary: 'Delete the text of a reply; the reply still counts',
    successStatus: 204,
    errors: ['REPLY_NOT_FOUND'],
  }).input(z.strictObject({ id: Id })),

  settings: route('GET /conversations/settings', 'member', 'none', {
    summary: 'Get how long texts of conversations are kept',
  }).output(ConversationSettings),

  saveSettings: route('PUT /conversations/settings', 'admin', 'rows', {
    summary: 'Change how long texts of conversations are kept; older ones are deleted within an hour',
  })
    .input(z.strictObject(ConversationSettings.shape))
    .output(ConversationSettings),
}
