import { LEAD_STANDINGS } from '@x-automated/contract/leads/leads'
import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { AliasOf } from '../../db/columns.ts'
import type { Db } from '../../db/open.ts'
import { leads } from '../tables/leads.ts'

// The counts of leads by status (lead_counts) and their order by status (lead_standings). Each
// statement that changes `dm_status`, or inserts or deletes leads, maintains them.

/** SQL: the columns of a lead that its counts depend on. */
export const countedLead = (lead: AliasOf<typeof leads> = leads): SQL =>
  sql`${lead.id}, ${lead.workspaceId}, ${lead.dmStatus}, ${lead.createdAt}`

/** Names of the CTEs with the rows before and after a change. */
export interface RowChange {
  /**
   * The locked rows. An `after` CTE must read from this one, because PostgreSQL cannot lock rows
   * that the statement has already changed. Rows that are not in `after` are ignored.
   */
  before?: string
  after?: string
}

/** SQL: the rows after a change with `n` 1, and those before it with `n` -1. @param columns of a CTE */
export function changedRows(columns: (part: string) => SQL, { before, after }: RowChange): SQL {
  const isChanged = before && after ? sql`where id in (select id from ${sql.identifier(after)})` : sql``
  return sql.join(
    [
      ...(after ? [sql`select 1 as n, ${columns(after)} from ${sql.identifier(after)}`] : []),
      ...(before ? [sql`select -1 as n, ${columns(before)} from ${sql.identifier(before)} ${isChanged}`] : []),
    ],
    sql` union all `,
  )
}

/**
 * SQL: the last CTEs of a statement that changes leads, which count the changes. @param change CTEs
 * that have `countedLead` @param campaigns a CTE that locks campaigns, which come before the counts
 * in the lock order
 */
export function countLeads(change: RowChange, campaigns?: string): SQL {
  return sql`lead_changes as (${changedRows((part) => countedLead(alias(leads, part)), change)}
    ), counted_leads as (
      insert into lead_counts as c (workspace_id, dm_status, count)
      select workspace_id, dm_status, sum(n)
      from lead_changes
      ${campaigns ? sql`where (select count(*) from ${sql.identifier(campaigns)}) >= 0` : sql``}
      group by 1, 2
      having sum(n) <> 0
      order by 1, 2
      on conflict (workspace_id, dm_status) do update set count = c.count + excluded.count
    ), changed_standings as (${changeStandings(change)})`
}

function changeStandings({ before, after }: RowChange): SQL {
  // Match any standing: after a wait for the lead's lock, the statement still sees the standing as
  // it was before.
  const isStandingOf = sql`s.workspace_id = r.workspace_id and s.created_at = r.created_at and s.lead_id = r.id
        and s.standing in (${sql
          .join(
            LEAD_STANDINGS.map((standing) => sql`${standing}`),
            sql`, `,
          )
          .inlineParams()})`
  if (before && after)
    return sql`
      update lead_standings s
      set standing = standing_of(a.dm_status)
      from ${sql.identifier(before)} r
      join ${sql.identifier(after)} a on a.id = r.id
      where standing_of(a.dm_status) <> standing_of(r.dm_status) and ${isStandingOf}`
  if (before) return sql`delete from lead_standings s using ${sql.identifier(before)} r where ${isStandingOf}`
  return sql`
      insert into lead_standings (workspace_id, standing, created_at, lead_id)
      select workspace_id, standing_of(dm_status), created_at, id
      from ${sql.identifier(after ?? '')}`
}

/** Sets the status of leads. @param which SQL over `leads` */
export async function setLeadStatus(
  tx: Db,
  which: SQL,
  status: (typeof leads.$inferSelect)['dmStatus'],
): Promise<void> {
  await tx.execute(sql`
    with old as (
      select ${countedLead()}
      from leads
      where ${which}
      order by id
      for no key update
    ), changed as (
      update leads
      set dm_status = ${status}, updated_at = now()
      where id in (select id from old)
      returning ${countedLead()}
    ), ${countLeads({ before: 'old', after: 'changed' })}
    select from changed`)
}

/** Deletes leads and updates the counts. @param which SQL over `leads` */
export async function deleteLeads(tx: Db, which: SQL): Promise<void> {
  await tx.execute(sql`
    with old as (
      select id
      from leads
      where ${which}
      order by id
      for update
    ), deleted as (
      delete from leads
      using old
      where leads.id = old.id
      returning ${countedLead()}
    ), ${countLeads({ before: 'deleted' })}
    select from deleted`)
}

/** Deletes the `lead_standings` of a workspace that was deleted in this transaction. */
export async function deleteStandings(tx: Db, workspaceId: string): Promise<void> {
  await tx.execute(sql`delete from lead_standings where workspace_id = ${workspaceId}`)
}

/** Recounts leads after changes that did not update the counts. @param which SQL condition on `workspaces` */
export async function recountLeads(db: Db, which: SQL = sql`true`): Promise<void> {
  const chosen = sql`(select id from workspaces where ${which})`
  await db.transaction(async (tx) => {
    await tx.execute(sql`delete from lead_counts where workspace_id in ${chosen}`)
    await tx.execute(sql`delete from lead_standings where workspace_id in ${chosen}`)
    await tx.execute(sql`
      with added as (
        select ${countedLead()}
        from leads
        where workspace_id in ${chosen}
      ), ${countLeads({ after: 'added' })}
      select`)
  })
}
