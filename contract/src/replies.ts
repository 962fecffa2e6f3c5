import { z } from 'zod'
import { Id, Time } from './fields.ts'
import { route } from './route.ts'

/** So much of a reply is kept, in characters. */
export const REPLY_TEXT_MAX = 1_000

/** A reply with one of these words asks not to be written to any more, unless a workspace has its own. Case, accents of width and signs around them do not matter. */
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
export const OPT_OUT_WORDS_MAX = 50
export const OPT_OUT_WORD_LENGTH_MAX = 50

/** How replies to the workspace's accounts are found. */
export const ReplyDetection = z.object({
  /**
   * `live`: X tells us at once; `degraded`: for one account at least we only ask X, every few minutes;
   * `starting`: an account was connected just now; `off`: none is.
   */
  state: z.enum(['live', 'degraded', 'starting', 'off']),
  /** Why it is degraded, as a text to show. */
  problem: z.string().nullable(),
  /** When X was last asked about the account that was asked about longest ago. */
  checkedAt: Time.nullable(),
})
export type ReplyDetection = z.output<typeof ReplyDetection>

export const replies = {
  detection: route({
    method: 'GET',
    path: '/replies/detection',
    tag: 'Replies',
    summary: 'How replies are found at present',
    access: 'viewer',
    effect: 'none',
  }).output(ReplyDetection),

  removeText: route({
    method: 'DELETE',
    path: '/replies/{id}/text',
    tag: 'Replies',
    summary: 'Delete what somebody wrote; that they wrote stays',
    access: 'member',
    effect: 'rows',
    successStatus: 204,
    errors: ['REPLY_NOT_FOUND'],
  }).input(z.strictObject({ id: Id })),
}
