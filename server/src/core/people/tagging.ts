import type { InputOf } from '@x-automated/contract/contract'
import { type SQL, sql } from 'drizzle-orm'
import type { Actor } from '../../actor.ts'
import { one } from '../../db/one.ts'
import type { Db } from '../../db/open.ts'
import { lockRows, transact } from '../../db/transact.ts'
import { Refusal } from '../../refusal.ts'
import { addTaggings, countTaggings, deleteTaggings } from './counts.ts'
import { choosePart, type WorkspaceOf } from './selection.ts'

/** Adds tags to leads and removes others. @throws Refusal TAG_NOT_FOUND */
export async function apply(db: Db, actor: Actor, { add, remove: removed, ...selection }: InputOf<'tags', 'apply'>) {
  return transact(db, async (tx) => {
    const part = await choosePart(tx, actor, selection)
    await lockTagging(tx, actor, part.leads, [...add, ...removed])
    const { rows } = await tx.execute<{ changed: number }>(sql`
      with chosen as (${part.leads}),
      deleted as (
        delete from lead_tags using chosen
        where lead_tags.lead_id = chosen.id and lead_tags.tag_id = any(${sql.param(removed)}::uuid[])
          and not lead_tags.tag_id = any(${sql.param(add)}::uuid[])
        returning lead_tags.tag_id
      ),
      added as (
        insert into lead_tags (tag_id, lead_id)
        select tag.id, chosen.id from chosen, unnest(${sql.param(add)}::uuid[]) tag(id) order by 1, 2
        on conflict do nothing
        returning tag_id
      ),
      counted as (${countTaggings(sql`(
        select tag_id, -1 as n from deleted union all select tag_id, 1 from added) changes`)})
      select ((select count(*) from deleted) + (select count(*) from added))::int as changed`)
    return { success: true as const, changed: one(rows).changed, cursor: part.cursor }
  })
}

/** Locks leads, then tags (core/README.md). The lock on leads is the same that the foreign key takes. */
async function lockTagging(tx: Db, actor: WorkspaceOf, chosen: SQL, tagIds: readonly string[]): Promise<void> {
  await lockRows(tx, 'leads', sql`id in (${chosen})`, 'key share')
  await lockTags(tx, actor, tagIds)
}

/** A lead's tag, and when it was added. The time is text. */
export type Tagging = { leadId: string; tagId: string; addedAt: string }

/** Adds tags to the chosen leads. @returns the new taggings @throws Refusal TAG_NOT_FOUND */
export async function addTags(tx: Db, actor: WorkspaceOf, chosen: SQL, tagIds: readonly string[]): Promise<Tagging[]> {
  await lockTagging(tx, actor, chosen, tagIds)
  const taggings = sql`
    select tag.id, chosen.id, now()
    from (${chosen}) chosen, unnest(${sql.param(tagIds)}::uuid[]) tag(id) order by 1, 2`
  const { rows } = await tx.execute<Tagging>(sql`${addTaggings(taggings)} select ${TAGGING} from added`)
  return rows
}

/** Removes tags from the chosen leads. @returns the removed taggings @throws Refusal TAG_NOT_FOUND */
export async function removeTags(
  tx: Db,
  actor: WorkspaceOf,
  chosen: SQL,
  tagIds: readonly string[],
): Promise<Tagging[]> {
  await lockTagging(tx, actor, chosen, tagIds)
  const which = sql`lead_id in (${chosen}) and tag_id = any(${sql.param(tagIds)}::uuid[])`
  const { rows } = await tx.execute<Tagging>(sql`${deleteTaggings(which)} select ${TAGGING} from deleted`)
  return rows
}

const TAGGING = sql`lead_id as "leadId", tag_id as "tagId", added_at::text as "addedAt"`

/** SQL for a `from` clause: taggings `x` whose lead and tag still exist. Locks those leads and tags first. */
async function existing(tx: Db, { workspaceId }: WorkspaceOf, taggings: readonly Tagging[]): Promise<SQL> {
  const input = sql`
    jsonb_to_recordset(${JSON.stringify(taggings)}::jsonb) as x("leadId" uuid, "tagId" uuid, "addedAt" timestamptz)`
  await lockRows(
    tx,
    'leads',
    sql`workspace_id = ${workspaceId} and id in (select x."leadId" from ${input})`,
    'key share',
  )
  await lockRows(tx, 'tags', sql`workspace_id = ${workspaceId} and id in (select x."tagId" from ${input})`)
  return sql`${input} join leads l on l.id = x."leadId" and l.workspace_id = ${workspaceId}
    join tags t on t.id = x."tagId" and t.workspace_id = ${workspaceId}`
}

/** Reverses `addTags`, but keeps tags that were added again since. @returns the number of leads */
export async function undoAddTags(tx: Db, actor: WorkspaceOf, taggings: readonly Tagging[]): Promise<number> {
  const which = sql`(lead_id, tag_id, added_at) in (
    select x."leadId", x."tagId", x."addedAt" from ${await existing(tx, actor, taggings)})`
  const { rows } = await tx.execute<Tagging>(sql`${deleteTaggings(which)} select ${TAGGING} from deleted`)
  return countLeads(rows)
}

/** Reverses `removeTags`. @returns the number of leads */
export async function undoRemoveTags(tx: Db, actor: WorkspaceOf, taggings: readonly Tagging[]): Promise<number> {
  const restored = sql`
    select x."tagId", x."leadId", x."addedAt" from ${await existing(tx, actor, taggings)} order by 1, 2`
  const { rows } = await tx.execute<Tagging>(sql`${addTaggings(restored)} select ${TAGGING} from added`)
  return countLeads(rows)
}

/** Counts the leads in a list that has one entry per lead and tag. */
export const countLeads = (taggings: readonly Pick<Tagging, 'leadId'>[]) => new Set(taggings.map((t) => t.leadId)).size

/** Replaces a tag with another one on its leads. The caller has locked both tags. */
export async function moveTaggings(tx: Db, { from, into }: { from: string; into: string }): Promise<void> {
  const isTwice = sql`tag_id = ${from} and lead_id in (select lead_id from lead_tags where tag_id = ${into})`
  await tx.execute(sql`${deleteTaggings(isTwice)} select count(*) from deleted`)
  // Update the rows, because inserted rows would have to check and lock their leads.
  await tx.execute(sql`
    with moved as (
      update lead_tags set tag_id = ${into} where tag_id = ${from} returning lead_id
    )
    ${countTaggings(sql`(
      select ${from}::uuid as tag_id, -1 as n from moved union all select ${into}::uuid, 1 from moved) changes`)}`)
}

/** Locks tags by id before their counts change. @throws Refusal TAG_NOT_FOUND */
export async function lockTags(tx: Db, actor: WorkspaceOf, ids: readonly string[]): Promise<void> {
  const wanted = new Set(ids)
  const { rows } = await tx.execute(sql`
    select id from tags where workspace_id = ${actor.workspaceId} and id = any(${sql.param([...wanted])}::uuid[])
    order by id for no key update`)
  if (rows.length < wanted.size) throw new Refusal('TAG_NOT_FOUND')
}
