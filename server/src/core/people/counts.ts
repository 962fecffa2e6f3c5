import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '../../db/open.ts'

// Counts change in the statement that changes the rows. Rows are locked before counts, and counts by key.

/**
 * SQL: a statement that adds changes to the counts of suppressions.
 * @param changes a relation with workspace_id and n
 */
export function countSuppressions(changes: SQL): SQL {
  return sql`
    insert into suppression_counts as counts (workspace_id, count)
    select workspace_id, sum(n) from ${changes} group by workspace_id having sum(n) <> 0 order by workspace_id
    on conflict (workspace_id) do update set count = counts.count + excluded.count`
}

/**
 * SQL: a statement that adds changes to the counts of scrapes.
 * @param changes a relation with scrape_id and n
 */
function countFinds(changes: SQL): SQL {
  return sql`
    insert into scrape_counts as counts (scrape_id, count)
    select scrape_id, sum(n) from ${changes} group by scrape_id having sum(n) <> 0 order by scrape_id
    on conflict (scrape_id) do update set count = counts.count + excluded.count`
}

/**
 * SQL: a statement that adds changes to the counts of tags.
 * @param changes a relation with tag_id and n
 */
export function countTaggings(changes: SQL): SQL {
  return sql`
    update tags t set lead_count = t.lead_count + locked.n
    from (
      select tags.id, changed.n
      from (select tag_id, sum(n) as n from ${changes} group by tag_id having sum(n) <> 0) changed
      join tags on tags.id = changed.tag_id
      order by tags.id for no key update of tags
    ) locked
    where t.id = locked.id`
}

/**
 * SQL: a statement that adds changes to the counts of lists.
 * @param changes a relation with lead_list_id, n and contacted
 */
export function countEntries(changes: SQL): SQL {
  return sql`
    update lead_lists l
    set lead_count = l.lead_count + locked.n, contacted_count = l.contacted_count + locked.contacted
    from (
      select lead_lists.id, changed.n, changed.contacted
      from (
        select lead_list_id, sum(n) as n, sum(contacted) as contacted from ${changes} group by lead_list_id
      ) changed
      join lead_lists on lead_lists.id = changed.lead_list_id
      where (changed.n, changed.contacted) <> (0, 0)
      order by lead_lists.id for no key update of lead_lists
    ) locked
    where l.id = locked.id`
}

/**
 * SQL: a statement that adds finds, except existing ones, and counts them. @param rows select of
 * scrape_id, lead_id and found_at
 */
export const addFinds = (rows: SQL): SQL => sql`
  with added as (
    insert into scrape_leads (scrape_id, lead_id, found_at) ${rows}
    on conflict do nothing returning scrape_id, 1 as n
  )
  ${countFinds(sql`added`)}`

/**
 * SQL: a WITH clause that adds taggings, and has the new ones in `added`.
 * @param rows select of tag_id, lead_id and added_at
 */
export const addTaggings = (rows: SQL): SQL => sql`
  with added as (
    insert into lead_tags (tag_id, lead_id, added_at) ${rows}
    on conflict do nothing returning *
  ), counted as (${countTaggings(sql`(select tag_id, 1 as n from added) changes`)})`

/** SQL: a WITH clause that deletes taggings, and has them in `deleted`. @param which condition over lead_tags */
export const deleteTaggings = (which: SQL): SQL => sql`
  with deleted as (
    delete from lead_tags where ${which} returning *
  ), counted as (${countTaggings(sql`(select tag_id, -1 as n from deleted) changes`)})`

/**
 * SQL: a WITH clause that adds entries to lists, and has the new ones in `added`.
 * @param rows select of lead_list_id, lead_id, contact_status and added_at
 */
export const addEntries = (rows: SQL): SQL => sql`
  with added as (
    insert into lead_list_items (lead_list_id, lead_id, contact_status, added_at) ${rows}
    on conflict do nothing returning *
  ), counted as (${countEntries(sql`(
    select lead_list_id, 1 as n, (contact_status = 'contacted')::int as contacted from added) changes`)})`

/**
 * SQL: a WITH clause that deletes entries of lists, and has them in `deleted`. @param which
 * condition over lead_list_items
 */
export const deleteEntries = (which: SQL): SQL => sql`
  with old as (
    select lead_list_id, lead_id from lead_list_items where ${which} order by lead_list_id, lead_id for update
  ), deleted as (
    delete from lead_list_items i using old
    where i.lead_list_id = old.lead_list_id and i.lead_id = old.lead_id
    returning i.*
  ), counted as (${countEntries(sql`(
    select lead_list_id, -1 as n, -(contact_status = 'contacted')::int as contacted from deleted) changes`)})`

/**
 * Deletes the list entries, tags and finds of leads. Cascades would not update the counts. @param
 * chosen subquery of ids of locked leads
 */
export async function deleteLinks(tx: Db, chosen: SQL): Promise<void> {
  await tx.execute(sql`${deleteEntries(sql`lead_id in (${chosen})`)} select count(*) from deleted`)
  await tx.execute(sql`${deleteTaggings(sql`lead_id in (${chosen})`)} select count(*) from deleted`)
  await tx.execute(sql`
    with deleted as (
      delete from scrape_leads where lead_id in (${chosen}) returning scrape_id, -1 as n
    )
    ${countFinds(sql`deleted`)}`)
}
