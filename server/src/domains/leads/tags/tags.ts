import type { InputOf } from '@x-automated/contract/contract'
import { TAG_COLORS, TAGS_MAX, type TagColor } from '@x-automated/contract/leads/tags'
import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import { isTag, type WorkspaceOf } from '../../../core/people/selection.ts'
import { lockTags, moveTaggings } from '../../../core/people/tagging.ts'
import { allowLongStatements } from '../../../db/long-statements.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { transact } from '../../../db/transact.ts'
import { withUniqueViolationAs } from '../../../db/unique-violation.ts'
import { Refusal } from '../../../refusal.ts'
import { replaceTag as replaceTagInLists } from '../lists/lists.ts'
import { replaceTag as replaceTagInSavedFilters } from '../saved-filters/saved-filters.ts'
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

/**
 * Creates the tags of a file that are missing in the workspace. @param names distinct, ignoring
 * case @throws Refusal INVALID_INPUT: too many
 */
export async function createMissing(tx: Db, { workspaceId }: WorkspaceOf, names: readonly string[]): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('tags of ' || ${workspaceId}, 0))`)
  const { rows } = await tx.execute<{ known: number; wanted: number }>(sql`
    select count(*)::int as known,
      (
        count(*) filter (where lower(name) in (select lower(n) from unnest(${sql.param(names)}::text[]) n))
      )::int as wanted
    from tags where workspace_id = ${workspaceId}`)
  const { known: existing, wanted } = one(rows)
  if (existing + names.length - wanted > TAGS_MAX)
    throw new Refusal('INVALID_INPUT', `The file has too many tags: a workspace can have at most ${TAGS_MAX}.`)
  await tx.execute(sql`
    insert into tags (workspace_id, name, color)
    select ${workspaceId}, name,
      (${sql.param([...TAG_COLORS])}::text[])[1 + (${existing} + place::int - 1) % ${TAG_COLORS.length}]
    from unnest(${sql.param(names)}::text[]) with ordinality as named(name, place)
    on conflict (workspace_id, lower(name)) do nothing`)
}

/** Creates sample tags, or uses existing tags with these names. @param colors by name */
export async function ensureSamples(tx: Db, { workspaceId }: Actor, colors: Record<string, TagColor>) {
  const rows = Object.entries(colors).map(([name, color]) => ({ workspaceId, name, color, isSample: true }))
  await tx.insert(tags).values(rows).onConflictDoNothing()
  const names = rows.map(({ name }) => name.toLowerCase())
  return tx
    .select({ id: tags.id, name: tags.name })
    .from(tags)
    .where(and(eq(tags.workspaceId, workspaceId), inArray(sql`lower(${tags.name})`, names)))
    .orderBy(asc(tags.id))
}

/** Deletes the sample tags without leads. */
export async function removeSamples(tx: Db, { workspaceId }: Actor): Promise<void> {
  await tx.delete(tags).where(and(eq(tags.workspaceId, workspaceId), eq(tags.isSample, true), eq(tags.leadCount, 0)))
}

/** @throws Refusal TAG_NOT_FOUND, TAG_EXISTS */
export async function update(db: Db, actor: Actor, { id, ...change }: InputOf<'tags', 'update'>) {
  return withUniqueViolationAs(db, 'TAG_EXISTS', async (tx) => {
    if (change.name !== undefined) {
      // Lock the tag before the filters, in the same order as `merge`.
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
    await moveTaggings(tx, { from: id, into })
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

/** Replaces a tag, found by its id or current name, by the id `into` in smart lists and saved filters. */
async function keepInFilters(tx: Db, actor: Actor, id: string, into: string): Promise<void> {
  const [tag] = await tx.select({ name: tags.name }).from(tags).where(own(actor, id))
  if (!tag) throw new Refusal('TAG_NOT_FOUND')
  const names = [id, tag.name]
  await replaceTagInLists(tx, actor, names, into)
  await replaceTagInSavedFilters(tx, actor, names, into)
}
