import type { InputOf } from '@x-automated/contract/contract'
import { TAG_COLORS, TAGS_MAX } from '@x-automated/contract/leads/tags'
import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import { isTag, type WorkspaceOf } from '../../../core/people/selection.ts'
import { lockTags } from '../../../core/people/tagging.ts'
import { allowLongStatements } from '../../../db/long-statements.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { transact } from '../../../db/transact.ts'
import { withUniqueViolationAs } from '../../../db/unique-violation.ts'
import { Refusal } from '../../../refusal.ts'
import { replaceTag as replaceTagInLists } from '../lists/service.ts'
import { replaceTag as replaceTagInSavedFilters } from '../saved-filters/service.ts'
import { tags } from './tables.ts'

const own = (actor: Actor, id: string) => and(eq(tags.id, id), eq(tags.workspaceId, actor.workspaceId))

export async function list(db: Db, actor: Actor) {
  const rows = await db
    .select()
    .from(tags)
    .where(eq(tags.workspaceId, actor.workspaceId))
    .orderBy(asc(sql`lower(${tags.name})`), asc(tags.id))
  return { tags: rows }
}

/** @throws Refusal TAG_EXISTS, TOO_MANY */
export async function create(db: Db, actor: Actor, { name, color }: InputOf<'tags', 'create'>) {
  return withUniqueViolationAs(db, 'TAG_EXISTS', async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('tags of ' || ${actor.workspaceId}, 0))`)
    const count = await tx.$count(tags, and(eq(tags.workspaceId, actor.workspaceId), eq(tags.isSample, false)))
    if (count >= TAGS_MAX) throw new Refusal('TOO_MANY', `A workspace has at most ${TAGS_MAX} tags.`)
    const row = {
      workspaceId: actor.workspaceId,
      name,
      color: color ?? TAG_COLORS[count % TAG_COLORS.length] ?? 'gray',
    }
    return one(await tx.insert(tags).values(row).returning())
  })
}

/** @throws Refusal TAG_NOT_FOUND, TAG_EXISTS */
export async function update(db: Db, actor: Actor, { id, ...change }: InputOf<'tags', 'update'>) {
  return withUniqueViolationAs(db, 'TAG_EXISTS', async (tx) => {
    if (change.name !== undefined) {
      // Lock the tag before its filters, in the same order as `merge`.
      await lockTags(tx, actor, [id])
      await keepInFilters(tx, actor, id, id)
    }
    const [row] =
      change.name === undefined && change.color === undefined
        ? await tx.select().from(tags).where(own(actor, id))
        : await tx.update(tags).set(change).where(own(actor, id)).returning()
    if (!row) throw new Refusal('TAG_NOT_FOUND')
    return row
  })
}

/** Deletes a tag; its leads stay. @throws Refusal TAG_NOT_FOUND */
export async function remove(db: Db, actor: Actor, id: string): Promise<void> {
  await transact(db, async (tx) => {
    await allowLongStatements(tx)
    const removed = await tx.delete(tags).where(own(actor, id)).returning({ id: tags.id })
    if (removed.length === 0) throw new Refusal('TAG_NOT_FOUND')
  })
}

/** Replaces a tag on leads and in filters. */
export async function merge(db: Db, actor: Actor, { id, into }: InputOf<'tags', 'merge'>) {
  return transact(db, async (tx) => {
    await allowLongStatements(tx)
    await lockTags(tx, actor, [id, into])
    if (id === into) throw new Refusal('INVALID_INPUT', 'A tag cannot be merged into itself.')
    await keepInFilters(tx, actor, id, into)
    // Update rather than insert: new rows would have to check and lock their leads.
    await tx.execute(sql`
      delete from lead_tags gone where tag_id = ${id} and exists (
        select from lead_tags kept where kept.tag_id = ${into} and kept.lead_id = gone.lead_id)`)
    await tx.execute(sql`update lead_tags set tag_id = ${into} where tag_id = ${id}`)
    await tx.delete(tags).where(eq(tags.id, id))
    return one(await tx.select().from(tags).where(eq(tags.id, into)))
  })
}

/** @throws Refusal TAG_NOT_FOUND */
export async function requireTags(db: Db, { workspaceId }: WorkspaceOf, ids: readonly string[]): Promise<void> {
  const wanted = new Set(ids)
  const count = await db.$count(tags, and(eq(tags.workspaceId, workspaceId), inArray(tags.id, [...wanted])))
  if (count < wanted.size) throw new Refusal('TAG_NOT_FOUND')
}

/** @param tag an id or a name @throws Refusal TAG_NOT_FOUND */
export async function requireTag(db: Db, { workspaceId }: WorkspaceOf, tag: string): Promise<void> {
  if ((await db.$count(tags, isTag(workspaceId, tag))) === 0) throw new Refusal('TAG_NOT_FOUND')
}

/** Makes smart lists and saved filters that use a tag, by id or current name, use the id `into`. */
async function keepInFilters(tx: Db, actor: Actor, id: string, into: string): Promise<void> {
  const [tag] = await tx.select({ name: tags.name }).from(tags).where(own(actor, id))
  if (!tag) throw new Refusal('TAG_NOT_FOUND')
  const names = [id, tag.name]
  await replaceTagInLists(tx, actor, names, into)
  await replaceTagInSavedFilters(tx, actor, names, into)
}
