import { z } from 'zod'
import { HANDLE_PROBLEMS, HANDLE_SPELLING, handleFault } from './x-handle.ts'

/**
 * An id in a request: an opaque string. Whatever cannot be an id becomes one that nothing has,
 * so that it is answered like any other id that does not exist (404), never as a malformed request.
 */
export const Id = z.string().transform((id) => (isId(id) ? id.toLowerCase() : NO_ID))

/** Held by no row. */
export const NO_ID = '00000000-0000-0000-0000-000000000000'
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** A moment in an answer: given as a Date, sent as an ISO 8601 string in UTC. */
export const Time = z
  .date()
  .transform((date) => date.toISOString())
  .pipe(z.iso.datetime())

/** `success: true`, in the answers for which the specification names it. */
export const Success = z.object({ success: z.literal(true) })

/** A whole number in a body: a number, not something that could be read as one. */
export function wholeNumber(min: number, max: number) {
  return z.number().int().min(min).max(max)
}

/** A whole number in a query string, which is text; from a typed client a number. */
export function queryNumber(min: number, max: number) {
  return z
    .union([
      z.number(),
      z
        .string()
        .regex(/^-?\d{1,15}$/, 'must be a whole number')
        .transform(Number),
    ])
    .pipe(wholeNumber(min, max))
}

/** Yes or no in a query string, which is text; from a typed client, or in a body, a boolean. */
export const QueryFlag = z.union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')])

/** Follower bounds of the scraper's sliders and the leads filter (specification §9); X's largest accounts exceed the sliders. */
const FOLLOWERS_MAX = 1_000_000_000
export const FollowerBound = wholeNumber(0, FOLLOWERS_MAX)
export const FollowerQuery = queryNumber(0, FOLLOWERS_MAX)

/** A moment as answers say one, which the database takes too: ISO 8601 in UTC, of this or a coming age, and a day that there is. */
export function isMoment(text: string): boolean {
  if (!/^(19[7-9]|[2-9]\d\d)\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/.test(text)) return false
  const at = new Date(text)
  return !Number.isNaN(at.getTime()) && at.toISOString().slice(0, 19) === text.slice(0, 19)
}

/** A moment in a request, as answers say one. */
export const Moment = z.string().refine(isMoment, 'must be a moment such as 2026-01-31T12:00:00Z')

/** Is it written as ids are? */
export function isId(text: string): boolean {
  return UUID.test(text)
}

/** Page number and size; lists answer `{ …, total, page, pageSize }`. @param defaultSize rows where the caller names none */
export function paging(defaultSize: number) {
  return {
    page: queryNumber(1, 1_000_000).default(1),
    pageSize: queryNumber(1, 100).default(defaultSize),
  }
}

export const Page = z.object({ total: z.number().int(), page: z.number().int(), pageSize: z.number().int() })

/** Can PostgreSQL store it? Neither NUL nor half a surrogate pair, which JSON can carry and UTF-8 cannot. */
export function isStorable(value: string): boolean {
  return !value.includes('\u0000') && value.isWellFormed()
}

/** The input of a call that takes none: no body, or an empty object; a key in it is one that the call does not know. */
export const NoInput = z.preprocess((body) => body ?? {}, z.strictObject({}))

/** Text from a person: trimmed, and such that it can be stored. */
export function text(max: number) {
  return z
    .string()
    .max(max)
    .refine(isStorable, 'must not contain NUL characters or broken Unicode')
    .transform((value) => value.trim())
}

/** As `text`, and not empty once trimmed. */
export function requiredText(max: number, problem = 'is required') {
  return text(max).refine((value) => value.length > 0, problem)
}

/** What a name that emails carry to strangers must not contain: line breaks, control and bidi characters, and the sign of a web address. */
const UNSAFE_IN_NAMES = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|:\/\//gu

/** The name of a person, a workspace or a campaign, which emails carry to others. */
export function nameText(max: number) {
  return text(max).refine(
    (value) => value.search(UNSAFE_IN_NAMES) === -1,
    'must be one line, without control characters or web addresses',
  )
}

/** As `nameText`, and not empty once trimmed. */
export function requiredName(max: number, problem = 'is required') {
  return nameText(max).refine((value) => value.length > 0, problem)
}

/** A name that did not come through `nameText` (it was stored before, or a provider gave it), such that an email may carry it. */
export function safeName(value: string): string {
  return value.replace(UNSAFE_IN_NAMES, ' ').replace(/\s+/g, ' ').trim() || '…'
}

/** An address of mail: compared case-insensitively, so always lower case here (specification §5: 'Invalid email format'). */
export const Email = z
  .string()
  .trim()
  .max(254)
  .toLowerCase()
  .pipe(z.email({ error: 'Invalid email format' }))

/** Codes have 6 or 8 characters; nothing longer than this is one. */
const LONGEST_REFERRAL_CODE = 32

/** The code of a friend's link, where a call may carry one. What cannot be one is ignored, as unknown ones are (specification §5). */
export const ReferralCode = z
  .string()
  .transform((code) => code.trim())
  .transform((code) => (code.length > LONGEST_REFERRAL_CODE || code.includes('\u0000') ? undefined : code || undefined))
  .optional()

/** The handle of somebody who is a lead already, with or without its @. Without the @ afterwards. */
export const HandleOfLead = z
  .string()
  .trim()
  .transform((handle) => handle.replace(/^@/, ''))
  .pipe(z.string().regex(HANDLE_SPELLING, HANDLE_PROBLEMS.spelling))

/** A handle on X, with or without its @; none of X's own pages. Without the @ afterwards. */
export const TwitterHandle = HandleOfLead.refine((handle) => handleFault(handle) !== 'page', HANDLE_PROBLEMS.page)
