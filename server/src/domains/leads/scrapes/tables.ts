import { SCRAPE_STATUSES, STOPPED_BY } from '@x-automated/contract/leads/scrapes'
import { X_SOURCES } from '@x-automated/contract/platform/x-account'
import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  check,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  text,
  uuid,
} from 'drizzle-orm/pg-core'
import { createdAt, id, time, updatedAt } from '../../../db/columns.ts'
import { authUsers } from '../../identity/auth/tables.ts'
import { workspaceId } from '../../identity/workspaces/tables.ts'
import { xAccounts } from '../../platform/x-account/tables.ts'

/** The number of bios with each word, most frequent first. */
export type WordCounts = readonly (readonly [word: string, bios: number])[]

/** Scrapes. Each is a job that survives its process and continues from its cursor. */
export const scrapes = pgTable(
  'scrapes',
  {
    id: id(),
    workspaceId: workspaceId(),
    userId: uuid('user_id').references(() => authUsers.id, { onDelete: 'set null' }),
    xAccountId: uuid('x_account_id').references(() => xAccounts.id, { onDelete: 'set null' }),
    /**
     * Whether the user chose the X account, so that the scrape waits for it. Otherwise it uses the
     * workspace's current one.
     */
    isAccountFixed: boolean('is_account_fixed').notNull().default(false),
    /** X's price per profile, in cents; 0 if free. */
    readPriceCents: doublePrecision('read_price_cents').notNull().default(0),
    /** Null unless the scrape reads followers or following. */
    twitterHandle: text('twitter_handle'),
    type: text('type', { enum: X_SOURCES }).notNull(),
    postUrl: text('post_url'),
    listUrl: text('list_url'),
    /** The handles to read. Null unless the type is `handles`. */
    handles: jsonb('handles').$type<string[]>(),
    minFollowers: integer('min_followers').notNull(),
    maxFollowers: integer('max_followers').notNull(),
    keywords: jsonb('keywords').$type<string[]>().notNull(),
    maxResults: integer('max_results').notNull(),
    status: text('status', { enum: SCRAPE_STATUSES }).notNull().default('queued'),
    /** The source's id on X, once known. */
    sourceUserId: text('source_user_id'),
    /** X's pagination token of the next page; null for the first. */
    cursor: text('cursor'),
    fetched: integer('fetched').notNull().default(0),
    /**
     * How many profiles of the page at the cursor are already counted in `fetched`. The plan cut
     * that page, so it is read again when the scrape is resumed.
     */
    cutReads: integer('cut_reads').notNull().default(0),
    /** Profiles read per bin of HISTOGRAM_BOUNDS; empty before the first page. */
    bins: integer('bins').array().notNull().default(sql`'{}'`),
    /** The bins of the page that the plan cut and that will be read again. */
    cutBins: integer('cut_bins').array().notNull().default(sql`'{}'`),
    /** The number of found leads with each word in their bio; see `addWords`. */
    words: jsonb('words').$type<WordCounts>().notNull().default([]),
    /** How many profiles X has charged for, including those read again. */
    billed: integer('billed').notNull().default(0),
    matched: integer('matched').notNull().default(0),
    /** The source's number of profiles, as X reports it; null until then. */
    expected: integer('expected'),
    /** Time spent reading, in milliseconds. */
    busyMs: bigint('busy_ms', { mode: 'number' }).notNull().default(0),
    resumesAt: time('resumes_at'),
    error: text('error'),
    /** Why the scrape completed early. */
    stoppedBy: text('stopped_by', { enum: STOPPED_BY }),
    /** The number of failed calls in a row; 0 after a final response from X. */
    failures: integer('failures').notNull().default(0),
    /** Raised by each change, so that a process with an older version loses its claim. */
    version: integer('version').notNull().default(0),
    /** The process that runs the scrape (workers.id). */
    workerId: bigint('worker_id', { mode: 'number' }),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    index('scrapes_newest').on(t.workspaceId, t.createdAt, t.id),
    index('scrapes_status').on(t.status),
    check('scrapes_stopped_by', sql`stopped_by is null or status = 'completed'`),
  ],
)

/** The number of remaining leads per scrape. In a separate table, so that deletions lock no scrape. */
export const scrapeCounts = pgTable('scrape_counts', {
  scrapeId: uuid('scrape_id')
    .primaryKey()
    .references(() => scrapes.id, { onDelete: 'cascade' }),
  count: bigint('count', { mode: 'number' }).notNull(),
})
