import { z } from 'zod'
import { HANDLE_PROBLEMS, HANDLE_SPELLING, handleFault, handleIn } from './x-handle.ts'
import { personFault } from './x-user-id.ts'

/** An id in a request. Malformed ids become NO_ID, so they return 404 like any other unknown id. */
export const Id = z.string().transform((id) => (isId(id) ? id.toLowerCase() : NO_ID))

/** An id that no row has. */
export const NO_ID = '00000000-0000-0000-0000-000000000000'
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** A time in a response: passed as a Date, sent as ISO 8601 in UTC. */
export const Time = z
  .date()
  .transform((date) => date.toISOString())
  .pipe(z.iso.datetime())

/** `success: true`, in responses without other content. */
export const Success = z.object({ success: z.literal(true) })

/** A whole number in a body. Strings are rejected. */
export function wholeNumber(min: number, max: number) {
  return z.number().int().min(min).max(max)
}

/** Seconds during which queued messages cannot be claimed, so that queueing can be undone. */
export const HoldSeconds = wholeNumber(0, 30).default(0)

/** A whole number in a query string. Typed clients pass a number. */
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

/** A boolean in a query string. Typed clients and bodies pass a boolean. */
export const QueryFlag = z.union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')])

/** Maximum follower count in filters. X's largest accounts exceed the scraper's sliders. */
const FOLLOWERS_MAX = 1_000_000_000
export const FollowerBound = wholeNumber(0, FOLLOWERS_MAX)
export const FollowerQuery = queryNumber(0, FOLLOWERS_MAX)

/** Whether the text is a valid ISO 8601 time in UTC, 1970 or later. */
export function isMoment(text: string): boolean {
  if (!/^(19[7-9]|[2-9]\d\d)\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/.test(text)) return false
  const at = new Date(text)
  return !Number.isNaN(at.getTime()) && at.toISOString().slice(0, 19) === text.slice(0, 19)
}

/** A time in a request. Responses use the same format. */
export const Moment = z.string().refine(isMoment, 'must be a time such as 2026-01-31T12:00:00Z')

export function isId(text: string): boolean {
  return UUID.test(text)
}

/** Page number and size. Lists return `{ …, total, page, pageSize }`. */
export function paging(defaultSize: number) {
  return {
    page: queryNumber(1, 1_000_000).default(1),
    pageSize: queryNumber(1, 100).default(defaultSize),
  }
}

export const BAD_CURSOR = 'must be the cursor of an earlier response'

/** A cursor from the last response. Deep pages cost no more than the first. */
export const Cursor = z.string().max(500).refine(isStorable, BAD_CURSOR)

/** Like `paging`, but pages can also continue from a cursor. */
export function cursorPaging(defaultSize: number) {
  return { ...paging(defaultSize), cursor: Cursor.optional() }
}

export const Page = z.object({ total: z.number().int(), page: z.number().int(), pageSize: z.number().int() })

/** Whether PostgreSQL can store the text: it rejects NUL and lone surrogates, which JSON can contain. */
export function isStorable(value: string): boolean {
  return !value.includes('\u0000') && value.isWellFormed()
}
/** The problem reported for a text that cannot be stored. */
export const UNSTORABLE = 'must not contain NUL characters or broken Unicode'

/** For operations without input: no body, or an empty object. Unknown keys are rejected. */
export const NoInput = z.preprocess((body) => body ?? {}, z.strictObject({}))

/** Trimmed user text that PostgreSQL can store. */
export function text(max: number) {
  return z
    .string()
    .max(max)
    .refine(isStorable, UNSTORABLE)
    .transform((value) => value.trim())
}

/** Whether a text has at least one visible character. */
function isVisible(value: string): boolean {
  return /[^\s\p{Cc}\p{Cf}\p{DI}\u2800]/u.test(value)
}

/** Like `text`, but with at least one visible character. */
export function requiredText(max: number, problem = 'is required') {
  return text(max).refine(isVisible, problem)
}

/** Phishing risks in names that we email: line breaks, control characters and the start of a URL. */
const UNSAFE_IN_NAMES = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|:\/\/|\bwww[.。]/giu
/** What email programs turn into a link: a domain (also in an email address), an IP address or Markdown. */
const LINKED = /[^\s.。][.。]\p{L}{2}|\d{1,3}(?:[.。]\d{1,3}){3}|\bxn--|\][([]|\b(?:https?|mailto|tel):/iu
/** A link in Markdown. Replaced before a subject is split into words, because its parentheses also separate words. */
const MARKDOWN_LINK = /\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])/g
/** An invisible character that cannot be part of a domain. */
const WORD_JOINER = '\u2060'

/**
 * Returns a text as email programs read it: without invisible characters, and with plain letters
 * for circled and full-width ones.
 */
const asRead = (value: string) => value.normalize('NFKC').replace(/\p{DI}/gu, '')

/** The name of a person, workspace or campaign. Other people receive it in emails. */
export function nameText(max: number) {
  return text(max).refine(
    (value) => [value, asRead(value)].every((form) => form.search(UNSAFE_IN_NAMES) === -1),
    'must be one line, without control characters or web addresses',
  )
}

/** Like `nameText`, but with at least one visible character. */
export function requiredName(max: number) {
  return nameText(max).refine(isVisible, 'is required')
}

/** Turns an unvalidated name (from an old row or a provider) into one line without control characters or URLs. */
export function safeName(value: string): string {
  const safe = asRead(value).search(UNSAFE_IN_NAMES) === -1 ? value : asRead(value)
  return safe.replace(UNSAFE_IN_NAMES, ' ').replace(/\s+/g, ' ').trim() || '…'
}

/** Prepares a user's text for the body of an email: a safe name that email programs don't link. */
export function nameInBody(value: string): string {
  return safeName(value).replace(/(?<=\S)[.。．｡․@＠](?=\S)/gu, `${WORD_JOINER}$&${WORD_JOINER}`)
}

/** Prepares a name for an email's subject. Returns `instead` if email programs would link it. */
export function nameInSubject(value: string, instead: string): string {
  return LINKED.test(asRead(value)) ? instead : safeName(value)
}

/** Makes an email's subject safe, whatever names it contains. */
export function subjectLine(value: string): string {
  return safeName(value)
    .replace(MARKDOWN_LINK, '…')
    .split(/([\s“”"()]+)/)
    .map((word) => (LINKED.test(asRead(word)) ? '…' : word))
    .join('')
}

/** An email address, lowercased because addresses are compared case-insensitively. */
export const Email = z
  .string()
  .trim()
  .max(254)
  .toLowerCase()
  .pipe(z.email({ error: 'Invalid email format' }))

/** Codes have 6 or 8 characters. Texts longer than this limit are ignored. */
const LONGEST_REFERRAL_CODE = 32

/** A referral code from a link. Malformed codes are ignored, like unknown ones. */
export const ReferralCode = z
  .string()
  .transform((code) => code.trim())
  .transform((code) => (code.length > LONGEST_REFERRAL_CODE || code.includes('\u0000') ? undefined : code || undefined))
  .optional()

/** A lead's handle as people write it. Parsing strips everything but the handle. */
export const HandleOfLead = z
  .string()
  .transform(handleIn)
  .pipe(z.string().regex(HANDLE_SPELLING, HANDLE_PROBLEMS.spelling))

/** A handle on X, with or without @. Strips the @ and rejects X's reserved paths. */
export const TwitterHandle = HandleOfLead.refine((handle) => handleFault(handle) !== 'page', HANDLE_PROBLEMS.page)

/** A handle as people write it, or X's URL for a user id: https://x.com/i/user/1. */
export const PersonOnX = z.string().superRefine((person, context) => {
  const fault = personFault(person)
  if (fault) context.addIssue({ code: 'custom', message: HANDLE_PROBLEMS[fault] })
})
