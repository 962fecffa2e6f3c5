import { sql } from 'drizzle-orm'
import { boolean, check, index, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { campaigns } from '../../../core/tables/campaigns.ts'
import { createdAt, newId, time } from '../../../db/columns.ts'
import { workspaceId } from '../../identity/workspaces/tables.ts'

/** Public pages with the results of a campaign or a month. */
export const reports = pgTable(
  'reports',
  {
    workspaceId: workspaceId(),
    id: uuid('id').notNull().default(newId),
    kind: text('kind', { enum: ['campaign', 'month'] }).notNull(),
    campaignId: uuid('campaign_id').references(() => campaigns.id, { onDelete: 'cascade' }),
    /** '2026-11' */
    month: text('month'),
    title: text('title').notNull(),
    /** The token of the report's URL. It is sealed and not only hashed, because members see the URL in the list. */
    sealedToken: text('sealed_token').notNull(),
    tokenHash: text('token_hash').notNull(),
    includesPeople: boolean('includes_people').notNull(),
    /** No foreign key: the report outlives the account of its creator. */
    createdBy: uuid('created_by').notNull(),
    createdAt: createdAt(),
    expiresAt: time('expires_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    uniqueIndex('reports_token').on(t.tokenHash),
    index('reports_campaign').on(t.campaignId).where(sql`campaign_id is not null`),
    check(
      'reports_subject',
      sql`(kind = 'campaign') = (campaign_id is not null) and (kind = 'month') = (month is not null)`,
    ),
  ],
)
