import type { InputOf } from '@x-automated/contract/contract'
import { eq } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import type { Db } from '../../../db/open.ts'
import { writerAbouts } from './tables.ts'

/** A workspace's description of itself; empty if it has none. */
export async function aboutOf(db: Db, { workspaceId }: { workspaceId: string }): Promise<string> {
  const [row] = await db.select().from(writerAbouts).where(eq(writerAbouts.workspaceId, workspaceId))
  return row?.text ?? ''
}

export async function about(db: Db, actor: Actor) {
  return { text: await aboutOf(db, actor) }
}

export async function saveAbout(db: Db, { workspaceId }: Actor, { text }: InputOf<'writer', 'saveAbout'>) {
  const row = { text, updatedAt: new Date() }
  await db
    .insert(writerAbouts)
    .values({ ...row, workspaceId })
    .onConflictDoUpdate({ target: writerAbouts.workspaceId, set: row })
  return { text }
}
