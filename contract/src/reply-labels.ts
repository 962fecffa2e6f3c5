/** The meaning of a reply. `referral` names another person. */
export const REPLY_LABELS = [
  'interested',
  'meeting',
  'question',
  'later',
  'referral',
  'not_interested',
  'opted_out',
  'auto_reply',
] as const
export type ReplyLabel = (typeof REPLY_LABELS)[number]

/** People with these labels, or without one, wait for an answer if they wrote last. */
export const WAITING_LABELS = ['interested', 'meeting', 'question', 'referral'] as const satisfies ReplyLabel[]

/** Counting people who wait stops here, so that Home costs the same with any inbox. */
export const REPLIES_WAITING_MAX = 1_000

/** Labels as screens show them. */
export const LABEL_NAMES: Record<ReplyLabel, string> = {
  interested: 'Interested',
  meeting: 'Meeting',
  question: 'Question',
  later: 'Later',
  referral: 'Referral',
  not_interested: 'Not interested',
  opted_out: 'Opted out',
  auto_reply: 'Automatic reply',
}
