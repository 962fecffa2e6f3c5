/** The meanings of a reply that rules and models recognize. `referral` names another person. */
export const RECOGNIZED_LABELS = [
  'interested',
  'meeting',
  'question',
  'later',
  'referral',
  'not_interested',
  'opted_out',
  'auto_reply',
] as const
/** The meaning of a reply. Only a person can set `booked`. */
export const REPLY_LABELS = [...RECOGNIZED_LABELS, 'booked'] as const
export type ReplyLabel = (typeof REPLY_LABELS)[number]
export type RecognizedLabel = (typeof RECOGNIZED_LABELS)[number]

/** Labels of a positive reply. */
export const POSITIVE_LABELS = ['interested', 'meeting', 'question', 'booked'] as const satisfies ReplyLabel[]

/** People with these labels, or without one, wait for an answer if they wrote last. */
export const WAITING_LABELS = ['interested', 'meeting', 'question', 'referral'] as const satisfies ReplyLabel[]

/** People who wait are counted up to this number, so that Home costs the same with any inbox. */
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
  booked: 'Booked',
}
