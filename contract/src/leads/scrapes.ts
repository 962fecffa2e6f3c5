import { z } from 'zod'
import { FollowerBound, Id, Page, paging, requiredText, Success, Time, TwitterHandle, text } from '../fields.ts'
import { X_SOURCES, type XSource } from '../platform/x-account.ts'
import { routes } from '../route.ts'
import { listIdIn, postIdIn } from '../x-url.ts'
import { Lead } from './leads.ts'
import {
  FOLLOWER_SLIDERS,
  KEYWORD_LENGTH_MAX,
  KEYWORDS_MAX,
  LOOK_PEOPLE_MAX,
  LOOKS_PER_DAY,
  SCRAPE_HANDLES_MAX,
} from './scrape-limits.ts'

const route = routes('Scraping', 'scrapes')

/**
 * `waiting` lasts until `resumesAt`, because X limits requests or is down. If `resumesAt` is null,
 * it lasts until an X account is connected.
 */
export const SCRAPE_STATUSES = ['queued', 'running', 'waiting', 'completed', 'canceled', 'failed'] as const
export type ScrapeStatus = (typeof SCRAPE_STATUSES)[number]

/** Why a scrape completed early: the plan allows no more leads this month. */
export const STOPPED_BY = ['PLAN_LIMIT'] as const
const stoppedBy = z.enum(STOPPED_BY).nullable()

/** Maximum and default number of leads that POST /scrape/scrape returns. */
export const SCRAPE_WAIT_MAX_RESULTS = 1_000

export const Scrape = z.object({
  id: z.string(),
  /** Null unless the scrape reads followers or following. */
  twitterHandle: z.string().nullable(),
  type: z.enum(X_SOURCES),
  /** The post whose likers or repliers are read. */
  postUrl: z.string().nullable(),
  /** The list whose members are read. */
  listUrl: z.string().nullable(),
  minFollowers: z.number().int(),
  maxFollowers: z.number().int(),
  keywords: z.array(z.string()),
  maxResults: z.number().int(),
  status: z.enum(SCRAPE_STATUSES),
  /** Profiles read from X so far. */
  fetched: z.number().int(),
  /** Number of those profiles that match the criteria and are now leads. */
  matched: z.number().int(),
  /** Null until X has returned the number of profiles. */
  estimate: z
    .object({
      /** Number of profiles to read. */
      profiles: z.number().int(),
      /** Estimated time left; null if unknown. */
      secondsLeft: z.number().int().nullable(),
      /** X's estimated charge for the whole scrape, or the actual one once it has ended; null if it is free. */
      costCents: z.number().int().nullable(),
    })
    .nullable(),
  /** X's charges so far; null if it is free. */
  spentCents: z.number().int().nullable(),
  resumesAt: Time.nullable(),
  /** Why the scrape waits or failed, or which plan limit stopped it. */
  error: z.string().nullable(),
  /** What stopped the scrape early, or null. The scrape can be resumed once the plan allows more leads. */
  stoppedBy,
  /** Whether the scrape has ended and can be resumed. False if X would refuse again. */
  isResumable: z.boolean(),
  createdAt: Time,
})
export type Scrape = z.output<typeof Scrape>

const ENTER_HANDLE = 'Please enter a X handle to scrape'
const ENTER_POST = 'Enter the URL of a post, such as https://x.com/ana/status/123'
const ENTER_LIST = 'Enter the URL of a list, such as https://x.com/i/lists/123'
const ENTER_CREDENTIALS = 'Please enter your X credentials'

const scrapeRequest = {
  twitterHandle: z
    .string({ error: ENTER_HANDLE })
    .refine((handle) => handle.trim().replace(/^@/, '') !== '', ENTER_HANDLE)
    .pipe(TwitterHandle),
  type: z.enum(['followers', 'following']),
  minFollowers: FollowerBound.default(FOLLOWER_SLIDERS.min.default),
  maxFollowers: FollowerBound.default(FOLLOWER_SLIDERS.max.default),
  /** A bio matches if it contains any of these, case-insensitively. Without keywords, every bio matches. */
  keywords: z
    .array(text(KEYWORD_LENGTH_MAX).pipe(z.string().min(1)))
    .max(KEYWORDS_MAX)
    .default([]),
  /** The X account that reads. Defaults to the current one. */
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
/** The source that a scrape reads. Exactly the field that its type needs must be set. */
const sourceRequest = {
  twitterHandle: scrapeRequest.twitterHandle.optional(),
  type: z.enum(X_SOURCES),
  postUrl: text(500)
    .refine((url) => postIdIn(url) !== null, ENTER_POST)
    .optional(),
  listUrl: text(500)
    .refine((url) => listIdIn(url) !== null, ENTER_LIST)
    .optional(),
  handles: z.array(TwitterHandle).min(1, 'Enter at least one handle').max(SCRAPE_HANDLES_MAX).optional(),
}
type SourceField = 'twitterHandle' | 'postUrl' | 'listUrl' | 'handles'
/** The field of a request that each type needs. */
export const SOURCE_FIELDS: Record<XSource, SourceField> = {
  followers: 'twitterHandle',
  following: 'twitterHandle',
  likers: 'postUrl',
  repliers: 'postUrl',
  list_members: 'listUrl',
  handles: 'handles',
}
const MISSING: Record<SourceField, string> = {
  twitterHandle: ENTER_HANDLE,
  postUrl: ENTER_POST,
  listUrl: ENTER_LIST,
  handles: 'Enter at least one handle',
}
function requireItsSource(
  request: { type: XSource } & Partial<Record<SourceField, unknown>>,
  context: z.RefinementCtx,
): void {
  const needed = SOURCE_FIELDS[request.type]
  for (const field of ['twitterHandle', 'postUrl', 'listUrl', 'handles'] as const) {
    const isMissing = request[field] === undefined
    if (field === needed && isMissing) context.addIssue({ code: 'custom', path: [field], message: MISSING[field] })
    if (field !== needed && !isMissing)
      context.addIssue({ code: 'custom', path: [field], message: `does not go with the type ${request.type}` })
  }
}
const boundsInOrder = (r: { minFollowers: number; maxFollowers: number }) => r.minFollowers <= r.maxFollowers
const BOUNDS_IN_ORDER = { message: 'must not be less than the minimum', path: ['maxFollowers'] }

/** Someone whom a look shows. They are not stored. */
export const LookPerson = z.object({
  name: z.string(),
  /** Without the @. */
  twitterHandle: z.string(),
  bio: z.string(),
  followerCount: z.number().int(),
  /** Like `pictureUrl` of `Lead`. */
  pictureUrl: z.string().nullable(),
})
export type LookPerson = z.output<typeof LookPerson>

const startErrors = [
  'X_SESSION_EXPIRED',
  'X_CREDENTIALS_REFUSED',
  'X_UNAVAILABLE',
  'X_ACCOUNT_NOT_FOUND',
  'PLAN_LIMIT',
] as const

export const scrapes = {
  scrape: route('POST /scrape/scrape', 'member', 'outside', {
    summary: 'Scrape and wait for the result, at most 60 seconds',
    description:
      'Returns the leads found so far; the job continues. `stoppedBy` is "PLAN_LIMIT" if the plan allows no more leads this month: GET /scrapes/{id} names the limit and the plan that raises it.',
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

  create: route('POST /scrapes', 'member', 'outside', { summary: 'Start a scrape as a job', errors: startErrors })
    .input(
      z
        .strictObject({
          ...scrapeRequest,
          ...sourceRequest,
          maxResults: z.number().int().min(1).max(1_000_000).default(SCRAPE_WAIT_MAX_RESULTS),
        })
        .superRefine(requireItsSource)
        .refine(boundsInOrder, BOUNDS_IN_ORDER),
    )
    .output(Scrape),

  estimate: route('POST /scrapes/estimate', 'member', 'unkeyed', {
    summary: 'Estimate a scrape before it starts',
    errors: ['X_SESSION_EXPIRED', 'X_UNAVAILABLE', 'X_ACCOUNT_NOT_FOUND'],
  })
    .input(
      z
        .strictObject({
          ...sourceRequest,
          /** The scrape stops after this many leads; `likely` depends on it. */
          maxResults: z.number().int().min(1).max(1_000_000).default(SCRAPE_WAIT_MAX_RESULTS),
          xAccountId: Id.optional(),
        })
        .superRefine(requireItsSource),
    )
    .output(
      z.object({
        twitterHandle: z.string().nullable(),
        /** Number of profiles. */
        profiles: z.number().int(),
        /** The time to read all of them. Reaching maxResults ends it earlier. */
        seconds: z.number().int(),
        /** X's charge for reading all of them; null if it is free. */
        costCents: z.number().int().nullable(),
        /** The estimated reads until `maxResults` leads are found, based on earlier scrapes. */
        likely: z.object({
          profiles: z.number().int(),
          seconds: z.number().int(),
          costCents: z.number().int().nullable(),
        }),
        /** Leads that the plan still allows this month; null if unlimited. */
        leadsLeft: z.number().int().nullable(),
      }),
    ),

  look: route('POST /scrapes/look', 'member', 'unkeyed', {
    summary: `Look at the first ${LOOK_PEOPLE_MAX} people of a source without saving them`,
    description: `Stores nobody and counts towards no limit of the plan, but X charges for the profiles. A workspace can look ${LOOKS_PER_DAY} times a day (UTC), which is at most ${LOOKS_PER_DAY * LOOK_PEOPLE_MAX} profiles; then this returns 403 PLAN_LIMIT. A look that shows nobody does not count.`,
    errors: ['X_NOT_CONNECTED', 'X_UNAVAILABLE', 'X_ACCOUNT_NOT_FOUND', 'PLAN_LIMIT'],
  })
    .input(z.strictObject({ ...sourceRequest, xAccountId: Id.optional() }).superRefine(requireItsSource))
    .output(
      z.object({
        people: z.array(LookPerson).max(LOOK_PEOPLE_MAX),
        /** The most that X charges for this look; null if it is free. */
        costCents: z.number().int().nullable(),
        /** How often the workspace can look again today. */
        looksLeft: z.number().int(),
      }),
    ),

  list: route('GET /scrapes', 'viewer', 'none', { summary: 'List scrapes, newest first' })
    .input(z.object(paging(20)))
    .output(Page.extend({ scrapes: z.array(Scrape) })),

  find: route('GET /scrapes/{id}', 'viewer', 'none', {
    summary: 'Get a scrape',
    description:
      'For live updates, read the server-sent events `progress` and `done` of GET /scrapes/{id}/events with the bearer header.',
    errors: ['SCRAPE_NOT_FOUND'],
  })
    .input(z.object({ id: Id }))
    .output(Scrape),

  handles: route('GET /scrapes/{id}/handles', 'viewer', 'none', {
    summary: 'Get the pasted handles that a scrape reads',
    description: 'Empty unless its type is `handles`.',
    errors: ['SCRAPE_NOT_FOUND'],
  })
    .input(z.object({ id: Id }))
    .output(z.object({ handles: z.array(z.string()) })),

  histogram: route('GET /scrapes/{id}/histogram', 'viewer', 'none', {
    summary: "Get the follower counts of a scrape's profiles, and the words of its leads",
    description: '`bins` count every profile read, including those that did not match.',
    errors: ['SCRAPE_NOT_FOUND'],
  })
    .input(z.object({ id: Id }))
    .output(
      z.object({
        bins: z.array(
          z.object({
            /** Inclusive. */
            from: z.number().int(),
            /** Exclusive; null: no upper bound. */
            to: z.number().int().nullable(),
            count: z.number().int(),
          }),
        ),
        /**
         * The 40 most frequent words in the bios of the scrape's leads. `count` is the number of
         * bios that contain the word.
         */
        words: z.array(z.object({ word: z.string(), count: z.number().int() })),
      }),
    ),

  cancel: route('POST /scrapes/{id}/cancel', 'member', 'rows', {
    summary: 'Cancel a scrape; the leads it found are kept',
    errors: ['SCRAPE_NOT_FOUND', 'SCRAPE_STATE'],
  })
    .input(z.strictObject({ id: Id }))
    .output(Scrape),

  resume: route('POST /scrapes/{id}/resume', 'member', 'rows', {
    summary: "Resume a scrape that was canceled, failed or stopped at the plan's limit",
    errors: ['SCRAPE_NOT_FOUND', 'SCRAPE_STATE', 'PLAN_LIMIT'],
  })
    .input(z.strictObject({ id: Id }))
    .output(Scrape),
}
