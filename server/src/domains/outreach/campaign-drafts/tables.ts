import type { CampaignDraft } from '@x-automated/contract/outreach/campaign-drafts'
import { foreignKey, index, integer, jsonb, pgTable, primaryKey, uuid } from 'drizzle-orm/pg-core'
import { updatedAt } from '../../../db/columns.ts'
import { workspaceId, workspaceMembers } from '../../identity/workspaces/tables.ts'

/** Campaigns that members are still writing. Each is visible to its author only. */
export const campaignDrafts = pgTable(
  'campaign_drafts',
  {
    workspaceId: workspaceId(),
    userId: uuid('user_id').notNull(),
    /** Chosen by the author's browser. */
    id: uuid('id').notNull(),
    /** Counts the changes, from 1. */
    version: integer('version').notNull().default(1),
    fields: jsonb('fields').$type<Omit<CampaignDraft, 'id' | 'version' | 'updatedAt'>>().notNull(),
    updatedAt: updatedAt(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.userId, t.id] }),
    // Drafts are deleted when their author leaves the workspace.
    foreignKey({
      name: 'campaign_drafts_member',
      columns: [t.workspaceId, t.userId],
      foreignColumns: [workspaceMembers.workspaceId, workspaceMembers.userId],
    }).onDelete('cascade'),
    index('campaign_drafts_updated').on(t.updatedAt),
  ],
)
