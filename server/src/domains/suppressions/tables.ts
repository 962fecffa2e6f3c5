import { SUPPRESSION_REASONS } from '@x-automated/contract/suppressions'
import { type SQL, sql } from 'drizzle-orm'
import { bigint, index, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { createdAt, id } from '../../db/columns.ts'
import { authUsers } from '../auth/tables.ts'
import { workspaces } from '../workspaces/tables.ts'

/** People on X whom a workspace does not write to. They outlive the leads they may be: deleting a lead is no permission to write again. */
export const suppressions = pgTable(
  'suppressions',
  {
    id: id(),
    workspaceId: uuid('workspace_id')
      .notNull()
      .references(() => workspaces.id, { onDelete: 'cascade' }),
    userId: uuid('user_id').references(() => authUsers.id, { onDelete: 'set null' }),
    /** In lower case, without the @. */
    twitterHandle: text('twitter_handle').notNull(),
    /** Filled in, by a trigger too, as soon as a lead of that handle is known by it: who changes their handle stays suppressed. */
    xUserId: text('x_user_id'),
    reason: text('reason', { enum: SUPPRESSION_REASONS }).notNull(),
    note: text('note'),
    createdAt: createdAt(),
  },
  (t) => [
    // Also finds handles by how they begin.
    uniqueIndex('suppressions_handle').on(t.workspaceId, t.twitterHandle.op('text_pattern_ops')),
    index('suppressions_x_user').on(t.workspaceId, t.xUserId).where(sql`x_user_id is not null`),
    index('suppressions_newest').on(t.workspaceId, t.createdAt, t.id),
    index('suppressions_words').using('gin', t.workspaceId, t.twitterHandle.op('gin_trgm_ops')),
  ],
)

/** How many people a workspace has suppressed: kept by triggers, so that a page's total costs nothing. */
export const suppressionCounts = pgTable('suppression_counts', {
  workspaceId: uuid('workspace_id')
    .primaryKey()
    .references(() => workspaces.id, { onDelete: 'cascade' }),
  count: bigint('count', { mode: 'number' }).notNull(),
})

const words = sql`case s.reason
  when 'opted_out' then 'Skipped: this person has opted out.'
  when 'replied_stop' then 'Skipped: this person asked you to stop.'
  else 'Skipped: this person is on your suppression list.' end`

/** Over a row of leads, by its alias: whether it may not be written to. */
export function isSuppressed(lead: string): SQL<boolean> {
  return sql`(${suppressedBecause(lead)} is not null)`
}

/** The ids of a workspace's leads that may not be written to, as a subquery without its brackets: found from the list, however many leads there are. */
export function suppressedLeads(workspaceId: string): SQL {
  const own = sql`s.workspace_id = ${workspaceId}`
  return sql`
    select l.id from suppressions s join leads l on l.workspace_id = s.workspace_id and lower(l.twitter_handle) = s.twitter_handle where ${own}
    union all
    select l.id from suppressions s join leads l on l.workspace_id = s.workspace_id and l.x_user_id = s.x_user_id where ${own}`
}

/** Over rows of `leads` of the workspace: that they may be written to. As `isSuppressed`, for many at once. */
export function mayBeWrittenTo(workspaceId: string): SQL {
  const onList = sql`select from suppressions s where s.workspace_id = ${workspaceId}`
  return sql`not exists (${onList} and s.twitter_handle = lower(leads.twitter_handle))
    and not exists (${onList} and s.x_user_id = leads.x_user_id)`
}

/**
 * Over a row of leads, by its alias: why it may not be written to, in the words that its message then fails with; null where it may.
 * Two looks into an index.
 */
export function suppressedBecause(lead: string): SQL {
  const l = sql.raw(lead)
  return sql`coalesce(
    (select ${words} from suppressions s where s.workspace_id = ${l}.workspace_id and s.twitter_handle = lower(${l}.twitter_handle)),
    (select ${words} from suppressions s where s.workspace_id = ${l}.workspace_id and s.x_user_id = ${l}.x_user_id limit 1)
  )`
}
