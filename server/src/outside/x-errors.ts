import { CONNECTION_LOST } from '@x-automated/contract/reason'

/**
 * `recipient`: cannot be messaged; `premium`: takes messages from Premium accounts only; `encrypted`:
 * the conversation is X Chat only; `forbidden`: the account or app lacks permission; `account`: locked
 * or restricted by X; `app`: its client id or secret is wrong; `funds`: the app has no credits, or its
 * spending limit is reached; `duplicate`: exists already; `unavailable`: not done, retry later;
 * `unknown`: may have been done.
 */
export type XErrorKind =
  | 'unauthorized'
  | 'credentials'
  | 'rate-limit'
  | 'recipient'
  | 'premium'
  | 'encrypted'
  | 'forbidden'
  | 'account'
  | 'app'
  | 'funds'
  | 'not-found'
  | 'duplicate'
  | 'invalid'
  | 'unavailable'
  | 'unknown'

interface XErrorDetails {
  /** Whose limit is used up. */
  limitOf?: 'account' | 'app'
  /** X refused the message, but such messages have arrived. If X does not list the message, that proves nothing. */
  mayBeDelivered?: boolean
  /** The person exists, but is suspended. */
  isSuspended?: boolean
  /** X responded, but its response cannot be read. */
  isUnreadable?: boolean
  /** The parameters of our request that X refused, with their values. */
  parameters?: ReadonlyMap<string, readonly string[]>
}

export class XError extends Error {
  readonly kind: XErrorKind
  /** When to try again; null if X does not say. */
  readonly retryAt: Date | null
  readonly limitOf: 'account' | 'app'
  readonly mayBeDelivered: boolean
  readonly isSuspended: boolean
  readonly isUnreadable: boolean
  readonly parameters: ReadonlyMap<string, readonly string[]>

  constructor(
    kind: XErrorKind,
    message: string,
    retryAt: Date | null = null,
    {
      limitOf = 'account',
      mayBeDelivered = false,
      isSuspended = false,
      isUnreadable = false,
      parameters = new Map(),
    }: XErrorDetails = {},
  ) {
    super(message)
    this.name = 'XError'
    this.kind = kind
    this.retryAt = retryAt
    this.limitOf = limitOf
    this.mayBeDelivered = mayBeDelivered
    this.isSuspended = isSuspended
    this.isUnreadable = isUnreadable
    this.parameters = parameters
  }
}

/** A response that reports an error, in any of X's forms. */
interface XProblem {
  status: number
  /** X itself has responded, not something in front of it. */
  isJson: boolean
  /** Codes of X's older formats. */
  codes: readonly number[]
  /** Last parts of problem types: 'credits'. */
  types: readonly string[]
  /** All titles, details, messages, reasons and textual codes, one per line. */
  text: string
  /** The text to show to people. */
  message: string
  /** OAuth's error code. */
  oauth: string | null
  parameters: ReadonlyMap<string, readonly string[]>
}

interface Meaning {
  kind: XErrorKind | ((problem: XProblem) => XErrorKind)
  when(problem: XProblem): boolean
  /** Our own text; if missing, X's text is used. */
  message?: string
  mayBeDelivered?: true
}

const is =
  (...codes: number[]) =>
  ({ codes: actual }: XProblem) =>
    codes.some((code) => actual.includes(code))

/**
 * The meanings of X's errors; the first matching row decides. Statuses, types and codes are those of
 * X's docs (https://docs.x.com/x-api/fundamentals/response-codes-and-errors) and of its older API.
 */
export const MEANINGS: readonly Meaning[] = [
  {
    // Cloudflare's pages. A 2xx that is cut off may have been done.
    when: ({ isJson }) => !isJson,
    kind: ({ status }) => (status >= 500 || status < 300 ? 'unknown' : 'unavailable'),
    message: 'Something in front of X answered instead of X.',
  },
  {
    when: ({ status, types, text }) =>
      status === 402 ||
      types.some((type) => ['credits', 'spend-cap', 'usage-capped'].includes(type)) ||
      (status === 403 && /SpendCap|CreditsDepleted|\bspend(?:ing)?\b|\bcredits?\b/i.test(text)) ||
      (status === 429 && /usage.?cap/i.test(text)),
    kind: 'funds',
  },
  {
    when: (problem) => is(151)(problem) || /already said that/i.test(problem.text),
    kind: 'unknown',
    mayBeDelivered: true,
  },
  {
    when: (problem) => is(226)(problem) || /looks like it might be automated/i.test(problem.text),
    kind: 'account',
    message: "X flagged this account's activity as automated. Wait a while, then refresh its status under Connect X.",
  },
  {
    when: (problem) => is(326)(problem) || /this account is temporarily locked/i.test(problem.text),
    kind: 'account',
    message: 'X has locked this account. Unlock it on x.com, then refresh its status under Connect X.',
  },
  {
    when: (problem) => is(64)(problem) || /your account is suspended/i.test(problem.text),
    kind: 'account',
    message: 'X has suspended this account.',
  },
  {
    when: (problem) => is(476)(problem) || /not verified to send message requests/i.test(problem.text),
    kind: 'premium',
  },
  {
    when: (problem) => is(349)(problem) || /permission to DM|cannot send messages/i.test(problem.text),
    kind: 'recipient',
  },
  { when: ({ text }) => /only.?encrypted.?messages.?allowed/i.test(text), kind: 'encrypted' },
  { when: ({ status, text }) => status === 409 || /Duplicate ?(?:Subscription|Url)/i.test(text), kind: 'duplicate' },
  {
    when: ({ status, text, types }) =>
      status === 403 ||
      /This operation is not permitted/i.test(text) ||
      types.some((type) => /^not-authorized-for|^client-forbidden$/.test(type)),
    kind: 'forbidden',
  },
  {
    when: (problem) =>
      problem.status === 404 ||
      is(50)(problem) ||
      problem.types.includes('resource-not-found') ||
      /^Not Found Error$/m.test(problem.text),
    kind: 'not-found',
  },
  { when: ({ oauth }) => oauth === 'invalid_client' || oauth === 'unauthorized_client', kind: 'app' },
  { when: ({ oauth }) => oauth === 'invalid_grant', kind: 'credentials' },
  { when: ({ status }) => status === 401, kind: 'unauthorized', message: CONNECTION_LOST },
  { when: ({ status }) => status === 429 || status === 420, kind: 'rate-limit', message: "X's rate limit is reached." },
  { when: ({ status }) => status >= 500, kind: 'unknown', message: 'X is having trouble.' },
  // Only a success with errors is left, which does not say what was done.
  { when: ({ status }) => status < 300, kind: 'unknown' },
  { when: () => true, kind: 'invalid' },
]

/** The rows that say nothing about what X means. */
const FALLBACKS = MEANINGS.slice(-2)

const meaningOf = (problem: XProblem) => MEANINGS.find(({ when }) => when(problem)) as Meaning

/** Whether a problem is not a documented error of X. */
export function isUnknownProblem(problem: XProblem): boolean {
  return !problem.isJson || (problem.status !== 400 && FALLBACKS.includes(meaningOf(problem)))
}

/** Maps a response that reports an error to an XError. @param limit read from its headers */
export function errorOf(problem: XProblem, limit: { retryAt: Date; limitOf: 'account' | 'app' }): XError {
  const meaning = meaningOf(problem)
  const kind = typeof meaning.kind === 'function' ? meaning.kind(problem) : meaning.kind
  const isLimit = kind === 'rate-limit'
  return new XError(kind, meaning.message ?? problem.message, isLimit ? limit.retryAt : null, {
    limitOf: isLimit ? limit.limitOf : 'account',
    mayBeDelivered: meaning.mayBeDelivered ?? false,
    isSuspended: kind === 'not-found' && isSuspension(problem.text),
    isUnreadable: isUnknownProblem(problem),
    parameters: problem.parameters,
  })
}

/** Whether X says that a person is suspended. */
const isSuspension = (text: string) => /\bsuspended\b/i.test(text)

/** Reads the error of a response. @param body null: not JSON */
export function problemOf(status: number, statusText: string, body: Record<string, unknown> | null): XProblem {
  const errors = Array.isArray(body?.errors) ? body.errors.filter(isObject).slice(0, 20) : []
  const all = [body ?? {}, ...errors]
  const textsOf = (...names: string[]) => all.flatMap((part) => names.flatMap((name) => textIn(part[name])))
  const texts = [...textsOf('detail', 'message', 'error_description'), ...textsOf('title')]
  return {
    status,
    isJson: body !== null,
    codes: all.flatMap(({ code }) => (/^\d{1,5}$/.test(String(code)) ? [Number(code)] : [])),
    types: textsOf('type').map((type) => type.split('/').at(-1) ?? ''),
    text: [...texts, ...textsOf('reason', 'code')].join('\n'),
    message: (texts[0] ?? statusText) || 'X rejected the request.',
    oauth: textIn(body?.error)[0] ?? null,
    parameters: new Map(all.flatMap(parametersIn)),
  }
}

/** The parameters that an error names, in X's three ways, with the values it names. */
function parametersIn({ parameter, value, parameters, message }: Record<string, unknown>): [string, string[]][] {
  const named = /`([\w.]{1,60})` query parameter value \[([^\]]{0,500})\]/.exec(textIn(message)[0] ?? '')
  return [
    ...(named ? [[named[1] ?? '', (named[2] ?? '').split(',')] as [string, string[]]] : []),
    ...textIn(parameter).map((name): [string, string[]] => [name, textIn(value).flatMap((text) => text.split(','))]),
    ...Object.entries(isObject(parameters) ? parameters : {}).map(([name, values]): [string, string[]] => [
      name,
      (Array.isArray(values) ? values : [values]).flatMap(textIn).flatMap((text) => text.split(',')),
    ]),
  ]
}

/** A non-empty text, or nothing. */
const textIn = (value: unknown): string[] => (typeof value === 'string' && value !== '' ? [value] : [])

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
