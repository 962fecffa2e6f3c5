import { z } from 'zod'

/**
 * An id in a request: an opaque string. Whatever cannot be an id becomes one that nothing has,
 * so that it is answered like any other id that does not exist (404), never as a malformed request.
 */
export const Id = z
  .string()
  .max(200)
  .transform((id) => (UUID.test(id) ? id.toLowerCase() : NO_ID))

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

/** A whole number in a query string or a body, within bounds. */
export function wholeNumber(min: number, max: number) {
  return z.coerce.number<number>().int().min(min).max(max)
}

/** Follower bounds of the scraper's sliders and the leads filter (specification §9); X's largest accounts exceed the sliders. */
export const FollowerBound = wholeNumber(0, 1_000_000_000)

/** Page number and size; lists answer `{ …, total, page, pageSize }`. @param defaultSize rows where the caller names none */
export function paging(defaultSize: number) {
  return {
    page: wholeNumber(1, 1_000_000).default(1),
    pageSize: wholeNumber(1, 100).default(defaultSize),
  }
}

export const Page = z.object({ total: z.number().int(), page: z.number().int(), pageSize: z.number().int() })

/** Text from a person: trimmed, without the NUL that PostgreSQL refuses. */
export function text(max: number) {
  return z
    .string()
    .max(max)
    .refine((value) => !value.includes('\u0000'), 'must not contain NUL characters')
    .transform((value) => value.trim())
}

/** As `text`, and not empty once trimmed. */
export function requiredText(max: number, problem = 'is required') {
  return text(max).refine((value) => value.length > 0, problem)
}

/** An address of mail: compared case-insensitively, so always lower case here (specification §5: 'Invalid email format'). */
export const Email = z
  .string()
  .trim()
  .max(254)
  .toLowerCase()
  .pipe(z.email({ error: 'Invalid email format' }))

/** A handle on X, with or without its @; 1 to 15 letters, digits and underscores (X's own rule). Without the @ afterwards. */
export const TwitterHandle = z
  .string()
  .trim()
  .transform((handle) => handle.replace(/^@/, ''))
  .pipe(z.string().regex(/^[A-Za-z0-9_]{1,15}$/, 'must be 1 to 15 letters, digits or underscores'))
