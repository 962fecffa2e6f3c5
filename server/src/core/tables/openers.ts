import { OPENER_SOURCES, OPENER_STATUSES } from '@x-automated/contract/outreach/openers'
import { type SQL, sql } from 'drizzle-orm'
import { index, integer, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { type AliasOf, createdAt, newId, time, updatedAt } from '../../db/columns.ts'
import { workspaceId } from '../../domains/identity/workspaces/tables.ts'
import type { leads } from './leads.ts'

/** One sentence about a lead, per campaign. It is deleted and restored with its lead. */
export const openers = pgTable(
  'openers',
  {
    workspaceId: workspaceId(),
    id: uuid('id').notNull().default(newId),
    campaignId: uuid('campaign_id').notNull(),
    leadId: uuid('lead_id').notNull(),
    /** '' if no opener could be written. */
    text: text('text').notNull(),
    /** Parts of the lead's profile. If one of them changes, the approval is dropped. */
    factsUsed: text('facts_used').array().notNull(),
    /** Hash of the profile that the writer used or the approver saw. */
    profileHash: text('profile_hash').notNull(),
    /** Hash of the prompt, if a model wrote the text. An identical prompt reuses the response. */
    requestHash: text('request_hash'),
    source: text('source', { enum: OPENER_SOURCES }).notNull(),
    status: text('status', { enum: OPENER_STATUSES }).notNull(),
    version: integer('version').notNull().default(1),
    /** Who approved the opener; null: not approved. No foreign key: the approval outlives the account. */
    approvedBy: uuid('approved_by'),
    approvedAt: time('approved_at'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    uniqueIndex('openers_once').on(t.workspaceId, t.campaignId, t.leadId),
    index('openers_lead').on(t.workspaceId, t.leadId),
    index('openers_listed').on(t.workspaceId, t.campaignId, t.id),
    index('openers_status').on(t.workspaceId, t.campaignId, t.status, t.id),
  ],
)

/** The number of openers per campaign and status. Statements that change openers maintain it. */
export const openerCounts = pgTable(
  'opener_counts',
  {
    workspaceId: workspaceId(),
    campaignId: uuid('campaign_id').notNull(),
    draft: integer('draft').notNull().default(0),
    approved: integer('approved').notNull().default(0),
    failed: integer('failed').notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.campaignId] })],
)

/** SQL over a lead's alias: its approved opener in a campaign, or null. @param campaignId null: outside campaigns */
export function approvedOpener(lead: AliasOf<typeof leads>, campaignId: string | null): SQL<string | null> {
  if (campaignId === null) return sql`null::text`
  return sql`(select o.text from openers o where o.workspace_id = ${lead.workspaceId}
    and o.campaign_id = ${campaignId}::uuid and o.lead_id = ${lead.id} and o.status = 'approved')`
}

/** SQL statement that waits for changes of a campaign's openers, and blocks others until the transaction ends. */
export function lockOpeners(workspaceId: string, campaignId: string): SQL {
  return sql`
    select from opener_counts where workspace_id = ${workspaceId} and campaign_id = ${campaignId} for no key update`
}
