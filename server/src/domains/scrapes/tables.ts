import { SCRAPE_STATUSES, STOPPED_BY } from '@x-automated/contract/scrapes'
import { sql } from 'drizzle-orm'
import { bigint, boolean, check, index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { createdAt, id, time, updatedAt } from '../../db/columns.ts'
import { authUsers } from '../auth/tables.ts'
import { leads } from '../leads/tables.ts'
import { workspaces } from '../workspaces/tables.ts'
import { xAccounts } from '../x-account/tables.ts'

/** A scrape is a job that goes on from its cursor, whatever happens to the process that runs it. */
export const scrapes = pgTable(
  'scrapes',
  {
    id: id(),
    workspaceId: uuid('workspace_id')
      .notNull()
      .references(() => workspaces.id, { onDelete: 'cascade' }),
    userId: uuid('user_id').references(() => authUsers.id, { onDelete: 'set null' }),
    xAccountId: uuid('x_account_id').references(() => xAccounts.id, { onDelete: 'set null' }),
    /** Its X account was chosen: it waits for that one. Else it reads through whichever is the workspace's current one. */
    isAccountFixed: boolean('is_account_fixed').notNull().default(false),
    /** What X bills for each profile read; 0: nothing. */
    readPriceCents: integer('read_price_cents').notNull().default(0),
    twitterHandle: text('twitter_handle').notNull(),
    type: text('type', { enum: ['followers', 'following'] }).notNull(),
    minFollowers: integer('min_followers').notNull(),
    maxFollowers: integer('max_followers').notNull(),
    keywords: jsonb('keywords').$type<string[]>().notNull(),
    maxResults: integer('max_results').notNull(),
    status: text('status', { enum: SCRAPE_STATUSES }).notNull().default('queued'),
    /** X's id of the handle, once looked up. */
    sourceUserId: text('source_user_id'),
    /** X's pagination token of the next page; null: the first. */
    cursor: text('cursor'),
    fetched: integer('fetched').notNull().default(0),
    /** Of them, the page at the cursor, of whom the plan allowed only some: it is read again when the scrape goes on. */
    cutReads: integer('cut_reads').notNull().default(0),
    /** What X has billed: each page as often as it was read. */
    billed: integer('billed').notNull().default(0),
    matched: integer('matched').notNull().default(0),
    /** How many profiles there are to read, as X says. */
    expected: integer('expected'),
    /** Time spent reading, in ms: what the estimate of the rest is made from. */
    busyMs: bigint('busy_ms', { mode: 'number' }).notNull().default(0),
    resumesAt: time('resumes_at'),
    error: text('error'),
    /** Why it completed early. */
    stoppedBy: text('stopped_by', { enum: STOPPED_BY }),
    /** Calls in a row that X did not answer. */
    failures: integer('failures').notNull().default(0),
    /** Raised at every change: a runner that was overtaken finds its page refused. */
    version: integer('version').notNull().default(0),
    /** The process that runs it (workers.id), while running. */
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

/** Which leads a scrape found. */
export const scrapeLeads = pgTable(
  'scrape_leads',
  {
    scrapeId: uuid('scrape_id')
      .notNull()
      .references(() => scrapes.id, { onDelete: 'cascade' }),
    leadId: uuid('lead_id')
      .notNull()
      .references(() => leads.id, { onDelete: 'cascade' }),
    foundAt: time('found_at').notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.scrapeId, t.leadId] }), index('scrape_leads_lead').on(t.leadId)],
)

/**
 * How many of the leads that a scrape found there are: kept by triggers, so that a page's total costs nothing.
 * A table of its own, as whoever deletes leads must not wait for the scrape, nor it for them.
 */
export const scrapeCounts = pgTable('scrape_counts', {
  scrapeId: uuid('scrape_id')
    .primaryKey()
    .references(() => scrapes.id, { onDelete: 'cascade' }),
  count: bigint('count', { mode: 'number' }).notNull(),
})
