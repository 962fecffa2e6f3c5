/** Texts about what the AI writer offers and reports. Imports no schemas, because screens use them, too. */

/** The goals that the built-in writer offers. Models accept any text. */
export const WRITER_GOALS = {
  conversation: 'Start a conversation',
  call: 'Book a call',
  trial: 'Get people to try a product',
  feedback: 'Ask for feedback',
  invite: 'Invite to an event or community',
  partner: 'Propose a partnership',
} as const
export type WriterGoal = keyof typeof WRITER_GOALS

export const WRITER_TONES = { friendly: 'Friendly', professional: 'Professional', direct: 'Direct' } as const
export type WriterTone = keyof typeof WRITER_TONES

/** Why a model's text is missing. */
export const WRITER_FAULTS = [
  /** The month's budget is used up, or this call could exceed it. */
  'budget',
  /** The budget is zero, as on Free with the operator's model. */
  'no_budget',
  /** The provider returned 429. */
  'rate_limited',
  /** The provider returned 401 or 403. */
  'key_refused',
  /** The provider returned 404: it has no such model or address. */
  'not_found',
  /** The address is private, or not a web address. */
  'address_refused',
  /** The provider returned any other status from 400 on. */
  'provider_error',
  'unreachable',
  'timeout',
  /** The response ended early. */
  'cut_off',
  /** The response does not have the requested form. */
  'malformed',
  /** The model declined. */
  'refused',
  /** The text is not in the requested language. */
  'other_language',
  /** The text is longer than requested. */
  'too_long',
  /** The text failed our other checks: invented facts, links or prices. */
  'unusable',
] as const
export type WriterFault = (typeof WRITER_FAULTS)[number]

const FAULT_TEXTS: Record<WriterFault, string> = {
  budget: "This month's AI budget is used up.",
  no_budget: 'There is no budget for AI.',
  rate_limited: 'The model is receiving too many requests.',
  key_refused: 'The provider refused the API key.',
  not_found: 'The provider does not know this model or address.',
  address_refused: 'The address of the provider is not allowed.',
  provider_error: 'The provider reported an error.',
  unreachable: 'The provider cannot be reached.',
  timeout: 'The model took too long.',
  cut_off: "The model's response was cut off.",
  malformed: "The model's response couldn't be read.",
  refused: 'The model declined to answer.',
  other_language: 'The model wrote in another language.',
  too_long: 'The model wrote too much.',
  unusable: "The model's text failed our safety checks.",
}

/** Returns the text for a fault: one sentence. */
export function faultText(fault: WriterFault): string {
  return FAULT_TEXTS[fault]
}

/** Messages with more characters than this are called long. */
export const LONG_MESSAGE = 500
/** Web addresses, with or without a scheme. */
export const LINKS = /\bhttps?:\/\/\S+|\bwww\.\S+|\b[\w-]{1,63}\.(?:com|net|org|io|co|ai|app|dev|me|gg|xyz|ly)\b\S*/gi
/** Question marks. Several in a row count as one. */
export const QUESTIONS = /[?\uff1f\u061f]+/g

export const LINT_CODES = [
  /** X does not accept messages of this length. */
  'too_long',
  'long',
  'link',
  'many_questions',
  'no_question',
  'capitals',
  /** Braces with an unknown variable. */
  'unknown_variable',
  'no_fallback',
  'hard_to_read',
  /** The text resembles a message that the workspace already sends. */
  'similar',
] as const
type LintCode = (typeof LINT_CODES)[number]

type Params = Record<string, string | number>

const LINT_TEXTS: Record<LintCode, (params: Params) => string> = {
  too_long: ({ max }) => `X accepts at most ${max} characters.`,
  long: ({ length }) => `At ${length} characters, this is long. Short messages get more replies.`,
  link: () => 'Links in a first message look like spam. Offer the link instead.',
  many_questions: ({ count }) => `This asks ${count} questions. Ask one.`,
  no_question: () => 'There is no question. A question gives people a reason to reply.',
  capitals: () => 'Words in capitals look like shouting.',
  unknown_variable: ({ written }) => `${written} is not a variable.`,
  no_fallback: ({ written }) => `${written} needs a fallback after a |.`,
  hard_to_read: () => 'These sentences are long. Split them.',
  similar: ({ campaign }) => `This is almost the same as a message in “${campaign}”.`,
}

/** Describes, in a sentence or two, a problem that the lint found. */
export function lintText({ code, params }: { code: LintCode; params: Params }): string {
  return LINT_TEXTS[code](params)
}
