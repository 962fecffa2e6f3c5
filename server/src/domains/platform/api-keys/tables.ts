import { index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { createdAt, newId, time } from '../../../db/columns.ts'
import { workspaceId } from '../../identity/workspaces/tables.ts'

/** Tokens for programs. Only their hashes are stored. */
export const apiKeys = pgTable(
  'api_keys',
  {
    workspaceId: workspaceId(),
    id: uuid('id').notNull().default(newId),
    name: text('name').notNull(),
    /** The key's first 12 characters, by which people recognize it. */
    start: text('start').notNull(),
    keyHash: text('key_hash').notNull(),
    scopes: text('scopes').array().notNull(),
    /** Who created or adopted the key. No foreign key: keys that a workspace kept survive their creator's account. */
    createdBy: uuid('created_by').notNull(),
    createdAt: createdAt(),
    expiresAt: time('expires_at'),
    /** Rounded to the minute. */
    lastUsedAt: time('last_used_at'),
    /** When the key was or will be suspended, because its creator is no longer an admin. */
    suspendedAt: time('suspended_at'),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.id] }), index('api_keys_hash').on(t.keyHash)],
)
