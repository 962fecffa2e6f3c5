import { z } from 'zod'
import { FollowerBound, Id, Page, paging, requiredText, Success, Time, TwitterHandle, text } from './fields.ts'
import { Lead } from './leads.ts'
import { route } from './route.ts'
import { KEYWORD_LENGTH_MAX, KEYWORDS_MAX } from './scrape-limits.ts'

/** `waiting`: until `resumesAt`, for X's rate limit or because X did not answer; or, where that is null, for an X account to be connected. */
export const SCRAPE_STATUSES = ['queued', 'running', 'waiting', 'completed', 'canceled', 'failed'] as const
export type ScrapeStatus = (typeof SCRAPE_STATUSES)[number]

/** Why a scrape completed before it had read everything: the plan allows no further lead this month. */
export const STOPPED_BY = ['PLAN_LIMIT'] as const
const stoppedBy = z.enum(STOPPED_BY).nullable()

/** The sliders of the scraper (specification §9). */
export const FOLLOWER_SLIDERS = {
  min: { from: 0, to: 100_000, step: 100, default: 100 },
  max: { from: 0, to: 1_000_000, step: 1_000, default: 10_000 },
} as const

/** Most leads that POST /scrape/scrape returns, and its default. */
export const SCRAPE_WAIT_MAX_RESULTS = 1_000

export const Scrape = z.object({
  id: z.string(),
  twitterHandle: z.string(),
  type: z.enum(['followers', 'following']),
  minFollowers: z.number().int(),
  maxFollowers: z.number().int(),
  keywords: z.array(z.string()),
  maxResults: z.number().int(),
  status: z.enum(SCRAPE_STATUSES),
  /** Profiles read from X so far. */
  fetched: z.number().int(),
  /** Of those, how many fit the bounds and keywords and are leads now. */
  matched: z.number().int(),
  /** Null until X has said how many there are. */
  estimate: z
    .object({
      /** How many profiles there are to read. */
      profiles: z.number().int(),
      /** How long the rest will take; null while unknown. */
      secondsLeft: z.number().int().nullable(),
      /** What X bills for the whole of it, at most; null where it bills nothing. */
      costCents: z.number().int().nullable(),
    })
    .nullable(),
  /** What X bills for what was read so far; null where it bills nothing. */
  spentCents: z.number().int().nullable(),
  resumesAt: Time.nullable(),
  /** Why it waits or failed, or which limit stopped it and the plan that lifts it. */
  error: z.string().nullable(),
  /** What stopped it early; null: nothing did. Resumed once the plan allows more, it continues. */
  stoppedBy,
  /** It is over, and resumed it would go on; false too where X's answer would be the same again, as there is nobody of that handle. */
  isResumable: z.boolean(),
  createdAt: Time,
})
export type Scrape = z.output<typeof Scrape>

/** Specification §5, Scraper. */
const ENTER_HANDLE = 'Please enter a X handle to scrape'
const ENTER_CREDENTIALS = 'Please enter your X credentials'

const scrapeRequest = {
  twitterHandle: z
    .string({ error: ENTER_HANDLE })
    .refine((handle) => handle.trim().replace(/^@/, '') !== '', ENTER_HANDLE)
    .pipe(TwitterHandle),
  type: z.enum(['followers', 'following']),
  minFollowers: FollowerBound.default(FOLLOWER_SLIDERS.min.default),
  maxFollowers: FollowerBound.default(FOLLOWER_SLIDERS.max.default),
  /** Any of them, anywhere in the bio, whatever their case; none matches all. */
  keywords: z
    .array(text(KEYWORD_LENGTH_MAX).pipe(z.string().min(1)))
    .max(KEYWORDS_MAX)
    .default([]),
  /** The X account that reads; the current one where none is named. */
  xAccountId: Id.optional(),
  credentials: z
    .strictObject({
      username: requiredText(50, ENTER_CREDENTIALS).refine(
        (name) => !name.includes('@'),
        'Please enter your Twitter username without the @ symbol',
      ),
      password: z.string().min(1, ENTER_CREDENTIALS).max(500),
    })
    .optional(),
}
const boundsInOrder = (r: { minFollowers: number; maxFollowers: number }) => r.minFollowers <= r.maxFollowers
const BOUNDS_IN_ORDER = { message: 'must not be less than the minimum', path: ['maxFollowers'] }

const startErrors = [
  'X_SESSION_EXPIRED',
  'X_CREDENTIALS_REFUSED',
  'X_UNAVAILABLE',
  'X_ACCOUNT_NOT_FOUND',
  'PLAN_LIMIT',
] as const

export const scrapes = {
  scrape: route({
    method: 'POST',
    path: '/scrape/scrape',
    tag: 'Scraping',
    summary: 'Scrape and wait for it, 60 seconds at most',
    description:
      'Answers with what it has by then; the job continues. `stoppedBy` is "PLAN_LIMIT" if the plan allows no further lead this month: GET /scrapes/{id} names the limit and the plan that lifts it.',
    access: 'member',
    effect: 'outside',
    errors: startErrors,
  })
    .input(
      z
        .strictObject({
          ...scrapeRequest,
          maxResults: z.number().int().min(1).max(SCRAPE_WAIT_MAX_RESULTS).default(SCRAPE_WAIT_MAX_RESULTS),
        })
        .refine(boundsInOrder, BOUNDS_IN_ORDER),
    )
    .output(Success.extend({ leads: z.array(Lead), count: z.number().int(), stoppedBy })),

  create: route({
    method: 'POST',
    path: '/scrapes',
    tag: 'Scraping',
    summary: 'Start a scrape as a job',
    access: 'member',
    effect: 'outside',
    errors: startErrors,
  })
    .input(
      z
        .strictObject({
          ...scrapeRequest,
          maxResults: z.number().int().min(1).max(1_000_000).default(SCRAPE_WAIT_MAX_RESULTS),
        })
        .refine(boundsInOrder, BOUNDS_IN_ORDER),
    )
    .output(Scrape),

  estimate: route({
    method: 'POST',
    path: '/scrapes/estimate',
    tag: 'Scraping',
    summary: 'What a scrape would take, before it starts',
    access: 'member',
    effect: 'unkeyed',
    errors: ['X_SESSION_EXPIRED', 'X_UNAVAILABLE', 'X_ACCOUNT_NOT_FOUND'],
  })
    .input(
      z.strictObject({
        twitterHandle: scrapeRequest.twitterHandle,
        type: scrapeRequest.type,
        xAccountId: Id.optional(),
      }),
    )
    .output(
      z.object({
        twitterHandle: z.string(),
        /** How many profiles there are. */
        profiles: z.number().int(),
        /** How long reading them all would take: less where maxResults are found before. */
        seconds: z.number().int(),
        /** What X bills for that; null where it bills nothing. */
        costCents: z.number().int().nullable(),
        /** How many leads the plan still allows this month; null: any number. */
        leadsLeft: z.number().int().nullable(),
      }),
    ),

  list: route({
    method: 'GET',
    path: '/scrapes',
    tag: 'Scraping',
    summary: 'Scrapes, newest first',
    access: 'viewer',
    effect: 'none',
  })
    .input(z.object(paging(20)))
    .output(Page.extend({ scrapes: z.array(Scrape) })),

  find: route({
    method: 'GET',
    path: '/scrapes/{id}',
    tag: 'Scraping',
    summary: 'One scrape as it stands',
    description:
      'Live: GET /scrapes/{id}/events, server-sent events `progress` and `done`, read with the bearer header.',
    access: 'viewer',
    effect: 'none',
    errors: ['SCRAPE_NOT_FOUND'],
  })
    .input(z.object({ id: Id }))
    .output(Scrape),

  cancel: route({
    method: 'POST',
    path: '/scrapes/{id}/cancel',
    tag: 'Scraping',
    summary: 'Stop a scrape; what it has found stays',
    access: 'member',
    effect: 'rows',
    errors: ['SCRAPE_NOT_FOUND', 'SCRAPE_STATE'],
  })
    .input(z.strictObject({ id: Id }))
    .output(Scrape),

  resume: route({
    method: 'POST',
    path: '/scrapes/{id}/resume',
    tag: 'Scraping',
    summary: "Go on with a scrape that was canceled, failed or stopped at the plan's limit",
    access: 'member',
    effect: 'rows',
    errors: ['SCRAPE_NOT_FOUND', 'SCRAPE_STATE', 'PLAN_LIMIT'],
  })
    .input(z.strictObject({ id: Id }))
    .output(Scrape),
}
