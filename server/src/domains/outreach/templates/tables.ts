import type { TemplateStep } from '@x-automated/contract/outreach/steps'
import { sql } from 'drizzle-orm'
import { boolean, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { createdAt, newId, time, updatedAt } from '../../../db/columns.ts'
import { workspaceId } from '../../identity/workspaces/tables.ts'

/** Reusable messages that start campaigns. Starters are in the code, not here. */
export const templates = pgTable(
  'templates',
  {
    workspaceId: workspaceId(),
    id: uuid('id').notNull().default(newId),
    name: text('name').notNull(),
    folder: text('folder'),
    steps: jsonb('steps').$type<TemplateStep[]>().notNull(),
    isShared: boolean('is_shared').notNull(),
    archivedAt: time('archived_at'),
    /** No foreign key: the template outlives the account of its author. */
    authorId: uuid('author_id').notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.id] })],
)

/** SQL over `templates`: one of its messages matches the pattern. */
export function hasMessageLike(pattern: string) {
  return sql`exists (select from jsonb_path_query(${templates.steps}, '$[*].variants[*].messageTemplate') m(message)
    where m.message #>> '{}' ilike ${pattern})`
}
