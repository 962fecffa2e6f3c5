import { CONTACT_BASES, LEAD_STANDINGS, LEAD_STATUSES } from '@x-automated/contract/leads/leads'
import { type SQL, sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import { type AliasOf, createdAt, id, partOf, time } from '../../db/columns.ts'
import { reasonSql } from '../../db/reasons.ts'
import { authUsers } from '../../domains/identity/auth/tables.ts'
import { workspaceId } from '../../domains/identity/workspaces/tables.ts'
import { tags } from '../../domains/leads/tags/tables.ts'

/** The status by which filters select: contacted counts as sent, failed_contact as failed. */
export const filterStatus = sql<string>`
  (case dm_status when 'contacted' then 'sent' when 'failed_contact' then 'failed' else dm_status end)`
/** The follower count by which leads are sorted and filtered. Unknown comes before 0. */
export const knownFollowers = sql<number>`coalesce(follower_count, -1)`
export const foldedName = sql<string>`lower(name)`
export const foldedHandle = sql<string>`lower(twitter_handle)`
/** The part of a bio used for sorting, short enough for an index entry. */
export const foldedBio = sql<string>`lower(left(coalesce(bio, ''), 60))`
/** The text that keywords match, covered by the trigram index `leads_words`. */
export const words = sql<string>`(coalesce(name, '') || ' ' || twitter_handle || ' ' || coalesce(bio, ''))`

/**
 * One row per person and workspace: by X user id, or by handle while the id is unknown. Leaves out
 * `bio_words`, which PostgreSQL generates and only `hasBioWord` uses.
 */
export const leads = pgTable(
  'leads',
  {
    id: id(),
    workspaceId: workspaceId(),
    userId: uuid('user_id').references(() => authUsers.id, { onDelete: 'set null' }),
    xUserId: text('x_user_id'),
    /** When X last showed this id with this handle; null: the id may only be a claim of a file or program. */
    xUserCheckedAt: time('x_user_checked_at'),
    name: text('name').notNull(),
    /** The first name in messages; null: the lead's name does not show one. */
    firstName: text('first_name'),
    /**
     * Where the first name is from; null: the lead is older than this column, and the job
     * `first-names` will set both.
     */
    firstNameFrom: text('first_name_from', { enum: ['name', 'file'] }).default('name'),
    /** Without the @, in X's spelling. Compared in lower case. */
    twitterHandle: text('twitter_handle').notNull(),
    /** When X showed the handle with another id. Since then, the lead's own handle is unknown. */
    handleLostAt: time('handle_lost_at'),
    /** Former handles, oldest first. `until` is in ISO 8601. */
    formerHandles: jsonb('former_handles').$type<{ handle: string; until: string }[]>().notNull().default([]),
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
    /** When the person last messaged an account of the workspace, by X's clock. */
    repliedAt: time('replied_at'),
    /** When the person was last messaged, if that was before their lead was deleted and added again. */
    contactedBeforeAt: time('contacted_before_at'),
    /** X user id of the account that, when last checked, could not message them; null: none. */
    closedTo: text('closed_to'),
    /** When an automated message to the person was last claimed. */
    lastClaimedAt: time('last_claimed_at'),
    /** The campaign of the message that was last claimed. */
    lastClaimedCampaignId: uuid('last_claimed_campaign_id'),
    /** Why the person may be messaged, as X's rules require. */
    basis: text('basis', { enum: CONTACT_BASES }).notNull().default('none'),
    /** When the basis began to apply. */
    basisAt: time('basis_at'),
    /** Where the basis is from, as a text. */
    basisSource: text('basis_source'),
    /** Invented, as part of the sample data. */
    isSample: boolean('is_sample').notNull().default(false),
    createdAt: createdAt(),
    updatedAt: time('updated_at').notNull().defaultNow(),
  },
  (t) => [
    uniqueIndex('leads_x_user').on(t.workspaceId, t.xUserId).where(sql`x_user_id is not null`),
    uniqueIndex('leads_handle_unknown_user')
      .on(t.workspaceId, sql`lower(twitter_handle)`)
      .where(sql`x_user_id is null`),
    index('leads_handle').on(t.workspaceId, sql`lower(twitter_handle)`),
    // The sort orders of the leads page. All are ascending; `desc` reads them backwards. Indexes
    // over an expression include its column (in the migration), for index-only scans.
    index('leads_newest').on(t.workspaceId, t.createdAt, t.id),
    index('leads_followers').on(t.workspaceId, knownFollowers, t.id),
    index('leads_name').on(t.workspaceId, foldedName, t.id),
    index('leads_bio').on(t.workspaceId, foldedBio, t.id),
    index('leads_replied').on(t.workspaceId, t.createdAt, t.id).where(sql`replied_at is not null`),
    // Few leads have a basis, so 'none' is counted as the remainder.
    index('leads_basis').on(t.workspaceId, t.basis, t.createdAt, t.id).where(sql`basis <> 'none'`),
    index('leads_contacted_before')
      .on(t.workspaceId, t.contactedBeforeAt, t.id)
      .where(sql`contacted_before_at is not null`),
    index('leads_handle_lost').on(t.workspaceId, t.id).where(sql`handle_lost_at is not null`),
    index('leads_first_name_due').on(t.workspaceId, t.id).where(sql`first_name_from is null`),
    index('leads_sample').on(t.workspaceId, t.id).where(sql`is_sample`),
    check('leads_basis_known', sql`(basis = 'none') = (basis_at is null)`),
  ],
)

/** Filter statuses (people/lead-counts.ts): changing one writes no index entry of `leads` (decision 0019). */
export const leadStandings = pgTable(
  'lead_standings',
  {
    workspaceId: uuid('workspace_id').notNull(),
    /** The filter status. */
    standing: text('standing', { enum: LEAD_STANDINGS }).notNull(),
    createdAt: time('created_at').notNull(),
    leadId: uuid('lead_id').notNull(),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.standing, t.createdAt, t.leadId] })],
)

/** SQL for a `from` clause, with an open `where`: a workspace's rows `s`, all or of one status. */
export function ofStanding(workspaceId: unknown, standing: unknown): SQL {
  const only = standing === undefined ? sql`` : sql`and s.standing = ${standing}`
  return sql`lead_standings s where s.workspace_id = ${workspaceId} ${only}`
}

/** The number of leads per workspace and status (people/lead-counts.ts). */
export const leadCounts = pgTable(
  'lead_counts',
  {
    workspaceId: workspaceId(),
    dmStatus: text('dm_status', { enum: LEAD_STATUSES }).notNull(),
    count: bigint('count', { mode: 'number' }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.dmStatus] })],
)

/**
 * An upper bound for the bytes of each workspace's leads. Deletions are not subtracted: when the
 * limit seems to be reached, the bytes are counted again. A workspace without a row has not been
 * counted yet.
 */
export const leadBytes = pgTable('lead_bytes', {
  workspaceId: workspaceId().primaryKey(),
  bytes: bigint('bytes', { mode: 'number' }).notNull(),
})

/**
 * SQL: the bytes of a lead's values except its bio. @param newer a row whose values replace those of `lead`
 */
export function valueBytes(lead: AliasOf<typeof leads>, newer?: AliasOf<typeof leads>): SQL<number> {
  const value = (key: keyof typeof lead) => (newer ? sql`coalesce(${newer[key]}, ${lead[key]})` : sql`${lead[key]}`)
  const texts = VALUES.map(value)
  const metadata = newer
    ? sql`${lead.metadata} || coalesce(${newer.metadata}, '{}')`
    : sql`coalesce(${lead.metadata}, '{}')`
  return sql`(octet_length(concat(${sql.join(texts, sql`, `)})) + octet_length((${metadata})::text))`
}

const VALUES = ['name', 'twitterHandle', 'sourceProfile', 'url', 'profileImageUrl', 'location', 'website'] as const

/** SQL: the bytes of all values of a lead. */
export function allBytes(lead: AliasOf<typeof leads>): SQL<number> {
  return sql`(${valueBytes(lead)} + coalesce(octet_length(${lead.bio}), 0))`
}

/** SQL condition: the bio has this word, in lower case. */
export function hasBioWord(word: string): SQL {
  // Words contain no characters with a special meaning in a pattern.
  const pattern = `(?<![[:alnum:]_])${word}(?![[:alnum:]_])`
  // The stored words nearly always decide. They fold case less exactly than the pattern.
  return sql`(coalesce(leads.bio_words @@ bio_query(${word}::text), true) and coalesce(leads.bio, '') ~* ${pattern})`
}

/**
 * People who were messaged or replied before their lead was deleted, so that they are not messaged
 * again. Stores only hashes. A row is deleted when the lead returns, or with the workspace.
 */
export const pastContacts = pgTable(
  'past_contacts',
  {
    id: id(),
    workspaceId: workspaceId(),
    /** Hash of the X user id; null if unknown. */
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

/** SQL over a lead's alias: why a sample lead is never messaged on the real X; null for other leads. */
export function sampleReason(lead: AliasOf<typeof leads>, { isRealX }: { isRealX: boolean }): SQL {
  return isRealX ? sql`case when ${lead.isSample} then ${reasonSql('sample')} end` : sql`null::jsonb`
}

/**
 * SQL over a lead's alias: a message was sent to the person, possibly before their lead was deleted
 * and added again.
 */
export function gotMessage(lead: AliasOf<typeof leads>): SQL {
  return sql`
    (
      ${lead.contactedBeforeAt} is not null
      or exists (select from dms o where o.lead_id = ${lead.id} and o.sent_at is not null)
    )`
}

/**
 * SQL over a lead's alias: its X id is confirmed. X has shown it with the handle or, before that
 * was stored, in a scrape, a reply or a sent message. An id from a file is not confirmed.
 */
export function isIdConfirmed(lead: AliasOf<typeof leads>): SQL<boolean> {
  // The limit keeps the planner from scanning whole tables. `coalesce` makes it read the lead's
  // messages rather than the index of all X ids.
  return sql`(${lead.xUserCheckedAt} is not null or coalesce(
    (select ${lead.xUserId} is not null from scrape_leads f where f.lead_id = ${lead.id} limit 1),
    (select ${lead.xUserId} is not null from replies r where r.lead_id = ${lead.id} and r.kind = 'reply' limit 1),
    (
      select ${lead.xUserId} is not null
      from dms d
      where d.lead_id = ${lead.id} and coalesce(d.x_event_id, '') <> ''
      limit 1
    ), false))`
}

/**
 * SQL over a lead's alias: the reason not to message the lead by handle if another person has taken
 * the handle; otherwise null.
 */
export function lostHandleReason(lead: AliasOf<typeof leads>): SQL {
  return sql`
    case
      when ${lead.handleLostAt} is not null
      then ${reasonSql('identity', { handle: sql`${lead.twitterHandle}`, xUserId: sql`${lead.xUserId}` })} end`
}

export const leadTags = pgTable(
  'lead_tags',
  {
    tagId: partOf('tag_id', () => tags.id),
    leadId: partOf('lead_id', () => leads.id),
    addedAt: time('added_at').notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.tagId, t.leadId] }), index('lead_tags_lead').on(t.leadId)],
)
