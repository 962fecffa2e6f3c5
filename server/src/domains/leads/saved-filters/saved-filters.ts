import type { InputOf } from '@x-automated/contract/contract'
import { SAVED_FILTERS_MAX } from '@x-automated/contract/leads/saved-filters'
import { and, asc, eq, sql } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import { withTagReplaced } from '../../../core/people/filter.ts'
import { mayUseTag, requirePlanToStore, withoutUnknownIds } from '../../../core/people/selection.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { withUniqueViolationAs } from '../../../db/unique-violation.ts'
import { Refusal } from '../../../refusal.ts'
import { savedFilters } from './tables.ts'

const own = (actor: Actor, id: string) => and(eq(savedFilters.id, id), eq(savedFilters.workspaceId, actor.workspaceId))

export async function list(db: Db, actor: Actor) {
  const rows = await db
    .select()
    .from(savedFilters)
    .where(eq(savedFilters.workspaceId, actor.workspaceId))
    .orderBy(asc(sql`lower(${savedFilters.name})`), asc(savedFilters.id))
  return { filters: rows }
}

/**
 * Saves a filter without the ids that do not exist in the workspace. @throws Refusal FILTER_EXISTS,
 * TOO_MANY, PLAN_LIMIT
 */
export async function create(db: Db, actor: Actor, input: InputOf<'savedFilters', 'create'>) {
  return withUniqueViolationAs(db, 'FILTER_EXISTS', async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('filters of ' || ${actor.workspaceId}, 0))`)
    const count = await tx.$count(savedFilters, eq(savedFilters.workspaceId, actor.workspaceId))
    if (count >= SAVED_FILTERS_MAX)
      throw new Refusal('TOO_MANY', `A workspace has at most ${SAVED_FILTERS_MAX} saved filters.`)
    await requirePlanToStore(tx, actor, input.filter)
    const filter = await withoutUnknownIds(tx, actor, input.filter)
    const row = { ...input, filter, workspaceId: actor.workspaceId, userId: actor.userId }
    return one(await tx.insert(savedFilters).values(row).returning())
  })
}

/**
 * Changes a saved filter, without the ids that do not exist in the workspace. @throws Refusal
 * FILTER_NOT_FOUND, FILTER_EXISTS, PLAN_LIMIT
 */
export async function update(db: Db, actor: Actor, { id, ...change }: InputOf<'savedFilters', 'update'>) {
  return withUniqueViolationAs(db, 'FILTER_EXISTS', async (tx) => {
    const [before] = await tx.select({ filter: savedFilters.filter }).from(savedFilters).where(own(actor, id))
    if (!before) throw new Refusal('FILTER_NOT_FOUND')
    // After a downgrade, a filter can still be changed while it keeps its fields.
    if (change.filter) await requirePlanToStore(tx, actor, change.filter, before.filter)
    const filter = change.filter && (await withoutUnknownIds(tx, actor, change.filter))
    const [row] = await tx
      .update(savedFilters)
      .set({ ...change, filter, updatedAt: sql`now()` })
      .where(own(actor, id))
      .returning()
    if (!row) throw new Refusal('FILTER_NOT_FOUND')
    return row
  })
}

/** Replaces a tag by another in saved filters. @param names the id and name of the tag to replace */
export async function replaceTag(tx: Db, actor: Actor, names: readonly string[], into: string): Promise<void> {
  const using = await tx
    .select({ id: savedFilters.id, filter: savedFilters.filter })
    .from(savedFilters)
    .where(and(eq(savedFilters.workspaceId, actor.workspaceId), mayUseTag(savedFilters.filter, names)))
    .orderBy(asc(savedFilters.id))
    .for('update')
  for (const row of using) {
    const filter = withTagReplaced(row.filter, names, into)
    if (filter) await tx.update(savedFilters).set({ filter }).where(eq(savedFilters.id, row.id))
  }
}

/** @throws Refusal FILTER_NOT_FOUND */
export async function remove(db: Db, actor: Actor, id: string): Promise<void> {
  const removed = await db.delete(savedFilters).where(own(actor, id)).returning({ id: savedFilters.id })
  if (removed.length === 0) throw new Refusal('FILTER_NOT_FOUND')
}
