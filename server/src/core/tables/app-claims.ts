import { type SQL, sql } from 'drizzle-orm'
import { index, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { time } from '../../db/columns.ts'

/**
 * Messages that were claimed for an X app with a daily limit. X counts an app's messages over all
 * workspaces. Rows older than a day are purged.
 */
export const xAppClaims = pgTable(
  'x_app_claims',
  {
    /** No foreign key: a claim still counts after its message was deleted. */
    dmId: uuid('dm_id').primaryKey(),
    /** The app's id at X, because an app can be removed and added again, also in several workspaces. */
    clientId: text('client_id').notNull(),
    xAccountId: uuid('x_account_id').notNull(),
    claimedAt: time('claimed_at').notNull(),
  },
  (t) => [index('x_app_claims_day').on(t.clientId, t.claimedAt, t.xAccountId)],
)

/** SQL over x_app_claims: claims of an app that count toward its 24-hour limit. */
export const isInDayOf = (clientId: string): SQL =>
  sql`client_id = ${clientId} and claimed_at > now() - interval '1 day'`

/** SQL: deletes the claims of messages that were certainly not sent. @param dmIds SQL of a query */
export const deleteAppClaims = (dmIds: SQL): SQL => sql`delete from x_app_claims where dm_id in (${dmIds})`
