import { pgTable, text } from 'drizzle-orm/pg-core'
import { updatedAt } from '../../../db/columns.ts'
import { workspaceId } from '../../identity/workspaces/tables.ts'

/** A workspace's branding in client reports. */
export const workspaceBranding = pgTable('workspace_branding', {
  workspaceId: workspaceId().primaryKey(),
  /** A data URL whose image was checked. */
  logo: text('logo'),
  /** '#1a2b3c' */
  color: text('color'),
  updatedAt: updatedAt(),
})
