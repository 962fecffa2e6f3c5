import type { InputOf } from '@x-automated/contract/contract'
import type { Branding } from '@x-automated/contract/platform/branding'
import { eq, sql } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import type { Db } from '../../../db/open.ts'
import { invalidField } from '../../../refusal.ts'
import { requireClientReports } from '../billing/plan.ts'
import { logoProblem } from './rules.ts'
import { workspaceBranding } from './tables.ts'

/** A workspace's logo and color. */
export async function find(db: Db, { workspaceId }: Pick<Actor, 'workspaceId'>): Promise<Branding> {
  const [row] = await db.select().from(workspaceBranding).where(eq(workspaceBranding.workspaceId, workspaceId))
  return { logo: row?.logo ?? null, color: row?.color ?? null }
}

/** Sets a workspace's logo and color. @throws Refusal PLAN_LIMIT; INVALID_INPUT: the logo is not an accepted image */
export async function save(db: Db, actor: Actor, { logo, color }: InputOf<'branding', 'save'>): Promise<Branding> {
  const { workspaceId } = actor
  await requireClientReports(db, workspaceId)
  const problem = logo === null ? null : logoProblem(logo)
  if (problem) throw invalidField('logo', problem)
  await db
    .insert(workspaceBranding)
    .values({ workspaceId, logo, color })
    .onConflictDoUpdate({ target: workspaceBranding.workspaceId, set: { logo, color, updatedAt: sql`now()` } })
  return { logo, color }
}
