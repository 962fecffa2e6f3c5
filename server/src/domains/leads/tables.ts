import { CONTACT_BASES, LEAD_FILTER_STATUSES, LEAD_STATUSES } from '@x-automated/contract/leads'
import { type SQL, sql } from 'drizzle-orm'
import { bigint, check, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { createdAt, id, time } from '../../db/columns.ts'
import { authUsers } from '../auth/tables.ts'
import { workspaces } from '../workspaces/tables.ts'

/** What the status filter compares: contacted counts as sent, failed_contact as failed. */
export const filterStatus = sql<string>`(case dm_status when 'contacted' then 'sent' when 'failed_contact' then 'failed' else dm_status end)`
/** Follower counts as they are ordered and bounded: an unknown one comes before none at all. */
export const knownFollowers = sql<number>`coalesce(follower_count, -1)`
export const foldedName = sql<string>`lower(name)`
export const foldedHandle = sql<string>`lower(twitter_handle)`
/** As far as a bio is ordered by: an index entry has to stay small. */
export const foldedBio = sql<string>`lower(left(coalesce(bio, ''), 60))`
/** Where a keyword is looked for; the trigram index `leads_words` is over this. */
export const words = sql<string>`(coalesce(name, '') || ' ' || twitter_handle || ' ' || coalesce(bio, ''))`

/** People on X. One row a person in each workspace: by X's user id, or by handle while the id is unknown. */
export const leads = pgTable(
  'leads',
  {
    id: id(),
    workspaceId: uuid('workspace_id')
      .notNull()
      .references(() => workspaces.id, { onDelete: 'cascade' }),
    userId: uuid('user_id').references(() => authUsers.id, { onDelete: 'set null' }),
    xUserId: text('x_user_id'),
    name: text('name').notNull(),
    /** Without the @, in X's spelling; compared in lower case. */
    twitterHandle: text('twitter_handle').notNull(),
    bio: text('bio'),
    followerCount: integer('follower_count'),
    followingCount: integer('following_count'),
    sourceProfile: text('source_profile'),
    url: text('url'),
    profileImageUrl: text('profile_image_url'),
    location: text('location'),
    website: text('website'),
    metadata: jsonb('metadata').$type<Record<string, unknown>>().notNull().default({}),
    dmStatus: text('dm_status', { enum: LEAD_STATUSES }).notNull().default('not_sent'),
    /** When they last wrote to an account of the workspace, by X's clock. */
    repliedAt: time('replied_at'),
    /** When they were last written to before their lead was deleted and came in again (`pastContacts`). */
    contactedBeforeAt: time('contacted_before_at'),
    /** Why they may be written to (X's rules ask for it), since when, and how that is known. */
    basis: text('basis', { enum: CONTACT_BASES }).notNull().default('none'),
    basisAt: time('basis_at'),
    basisSource: text('basis_source'),
    createdAt: createdAt(),
    updatedAt: time('updated_at').notNull().defaultNow(),
  },
  (t) => [
    uniqueIndex('leads_x_user').on(t.workspaceId, t.xUserId).where(sql`x_user_id is not null`),
    uniqueIndex('leads_handle_unknown_user')
      .on(t.workspaceId, sql`lower(twitter_handle)`)
      .where(sql`x_user_id is null`),
    index('leads_handle').on(t.workspaceId, sql`lower(twitter_handle)`),
    // The orders of the leads page. Plain ascending, so that `order by … desc` reads them backwards.
    // Those over an expression also hold the column it reads (`include`, in the migration), so that they can answer alone.
    index('leads_newest').on(t.workspaceId, t.createdAt, t.id),
    index('leads_followers').on(t.workspaceId, knownFollowers, t.id),
    index('leads_name').on(t.workspaceId, foldedName, t.id),
    index('leads_bio').on(t.workspaceId, foldedBio, t.id),
    index('leads_replied').on(t.workspaceId, t.id).where(sql`replied_at is not null`),
    // Few leads have one; none is counted as all without it.
    index('leads_basis').on(t.workspaceId, t.basis, t.createdAt, t.id).where(sql`basis <> 'none'`),
    check('leads_basis_known', sql`(basis = 'none') = (basis_at is null)`),
  ],
)

/**
 * The leads of each status in their order: what an index over their status would hold, kept by triggers.
 * No index of `leads` knows the status, so that a change of it writes one row and no index entry (docs/decisions/0019).
 */
export const leadStandings = pgTable(
  'lead_standings',
  {
    workspaceId: uuid('workspace_id').notNull(),
    /** As the filter calls it. */
    standing: text('standing', { enum: LEAD_FILTER_STATUSES }).notNull(),
    createdAt: time('created_at').notNull(),
    leadId: uuid('lead_id').notNull(),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.standing, t.createdAt, t.leadId] })],
)

/** Rows `s` of the leads of a workspace, all or those of one status: what follows `from`, and may be narrowed further. */
export function ofStanding(workspaceId: unknown, standing: unknown): SQL {
  const only = standing === undefined ? sql`` : sql`and s.standing = ${standing}`
  return sql`lead_standings s where s.workspace_id = ${workspaceId} ${only}`
}

/** How many leads a workspace has in each status: kept by triggers, so that a page's total costs nothing. */
export const leadCounts = pgTable(
  'lead_counts',
  {
    workspaceId: uuid('workspace_id')
      .notNull()
      .references(() => workspaces.id, { onDelete: 'cascade' }),
    dmStatus: text('dm_status', { enum: LEAD_STATUSES }).notNull(),
    count: bigint('count', { mode: 'number' }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.dmStatus] })],
)

/**
 * That somebody whose lead was deleted has been written to, or has replied: should they come in again, nobody writes to them a second time.
 * Who it is stands here as a hash only. The row goes once it is a lead's own again, and with the workspace.
 */
export const pastContacts = pgTable(
  'past_contacts',
  {
    id: id(),
    workspaceId: uuid('workspace_id')
      .notNull()
      .references(() => workspaces.id, { onDelete: 'cascade' }),
    /** Of X's user id; null where it was unknown. */
    xUserHash: text('x_user_hash'),
    handleHash: text('handle_hash').notNull(),
    contactedAt: time('contacted_at'),
    repliedAt: time('replied_at'),
    createdAt: createdAt(),
  },
  (t) => [
    index('past_contacts_x_user').on(t.workspaceId, t.xUserHash).where(sql`x_user_hash is not null`),
    index('past_contacts_handle').on(t.workspaceId, t.handleHash),
  ],
)
