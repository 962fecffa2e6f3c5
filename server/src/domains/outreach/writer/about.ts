import { eq } from 'drizzle-orm'
import type { Db } from '../../../db/open.ts'
import { writerAbouts } from './tables.ts'

/** What a workspace says about itself; empty if it says nothing. */
export async function aboutOf(db: Db, { workspaceId }: { workspaceId: string }): Promise<string> {
  const [row] = await db.select().from(writerAbouts).where(eq(writerAbouts.workspaceId, workspaceId))
  return row?.text ?? ''
}
