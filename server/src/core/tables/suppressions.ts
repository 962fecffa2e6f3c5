import { SUPPRESSION_REASONS } from '@x-automated/contract/leads/suppressions'
import { type SQL, sql } from 'drizzle-orm'
import { alias, bigint, index, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { type AliasOf, createdAt, id, time } from '../../db/columns.ts'
import { reasonSql } from '../../db/reasons.ts'
import { authUsers } from '../../domains/identity/auth/tables.ts'
import { workspaceId, workspaces } from '../../domains/identity/workspaces/tables.ts'
import { leads } from './leads.ts'

/** People whom a workspace must not message, even once their leads are deleted. */
export const suppressions = pgTable(
  'suppressions',
  {
    id: id(),
    workspaceId: workspaceId(),
    userId: uuid('user_id').references(() => authUsers.id, { onDelete: 'set null' }),
    /** In lower case, without the @. */
    twitterHandle: text('twitter_handle').notNull(),
    /** The person's X id, once known: a new handle does not lift the suppression. */
    xUserId: text('x_user_id'),
    /** When X showed this id with this handle; null: either may be wrong, so each suppresses on its own. */
    xUserCheckedAt: time('x_user_checked_at'),
    /** When X showed the handle with another id. Since then, only the id suppresses. */
    handleLostAt: time('handle_lost_at'),
    reason: text('reason', { enum: SUPPRESSION_REASONS }).notNull(),
    note: text('note'),
    createdAt: createdAt(),
  },
  (t) => [
    // Also serves prefix searches.
    uniqueIndex('suppressions_handle').on(
      t.workspaceId,
      t.twitterHandle.op('text_pattern_ops'),
      sql`(case when handle_lost_at is null then '' else x_user_id end)`,
    ),
    index('suppressions_x_user').on(t.workspaceId, t.xUserId).where(sql`x_user_id is not null`),
    index('suppressions_newest').on(t.workspaceId, t.createdAt, t.id),
    index('suppressions_reason').on(t.workspaceId, t.reason, t.createdAt, t.id),
    index('suppressions_words').using('gin', t.workspaceId, t.twitterHandle.op('gin_trgm_ops')),
  ],
)

/** The number of suppressed people per workspace. */
export const suppressionCounts = pgTable('suppression_counts', {
  workspaceId: uuid('workspace_id')
    .primaryKey()
    .references(() => workspaces.id, { onDelete: 'cascade' }),
  count: bigint('count', { mode: 'number' }).notNull(),
})

/** A lead, or the known fields of a person who is not a lead yet. */
type Person = Pick<AliasOf<typeof leads>, 'workspaceId' | 'twitterHandle' | 'xUserId' | 'handleLostAt'>

const lead = alias(leads, 'l')
const reason = reasonSql('suppressed', { reason: sql`s.reason` })

/** SQL: whether a person must not be messaged. */
export function isSuppressed(person: Person): SQL<boolean> {
  return sql`(${suppressionReason(person)} is not null)`
}

/** SQL over a suppression `s` and a person: both have the same handle. */
const hasHandle = (person: Person) => sql`
  s.twitter_handle = lower(${person.twitterHandle}) and s.handle_lost_at is null and ${person.handleLostAt} is null`

/** SQL subquery (without brackets) of suppressed lead ids, driven by the suppression list. */
export function suppressedLeads(workspaceId: string): SQL {
  const own = sql`s.workspace_id = ${workspaceId}`
  return sql`
    select l.id from suppressions s join leads l on l.workspace_id = s.workspace_id and ${hasHandle(lead)} where ${own}
    union all
    select l.id
    from suppressions s
    join leads l on l.workspace_id = s.workspace_id and l.x_user_id = s.x_user_id
    where ${own}`
}

/** SQL subquery (without brackets) of the suppressions of a lead. */
export function suppressionsOf(workspaceId: string, leadId: string): SQL {
  const its = sql`l.workspace_id = ${workspaceId} and l.id = ${leadId}`
  return sql`
    select s.id from leads l join suppressions s on s.workspace_id = l.workspace_id and ${hasHandle(lead)} where ${its}
    union
    select s.id
    from leads l
    join suppressions s on s.workspace_id = l.workspace_id and s.x_user_id = l.x_user_id
    where ${its}`
}

/** SQL over `leads`: whether they can be messaged. Like `isSuppressed`, but for many rows. */
export function isMessageable(workspaceId: string): SQL {
  const onList = sql`select from suppressions s where s.workspace_id = ${workspaceId}`
  return sql`
    not exists (${onList} and ${hasHandle(leads)}) and not exists (${onList} and s.x_user_id = leads.x_user_id)`
}

/**
 * SQL: why a suppressed person is skipped; null if they are not suppressed. Takes two index
 * lookups.
 */
export function suppressionReason(person: Person): SQL {
  return sql`coalesce(
    (select ${reason} from suppressions s where s.workspace_id = ${person.workspaceId} and ${hasHandle(person)}),
    (
      select ${reason}
      from suppressions s
      where s.workspace_id = ${person.workspaceId} and s.x_user_id = ${person.xUserId}
      limit 1
    )
  )`
}
