import { sql } from 'drizzle-orm'
import type { Db } from '../../db/open.ts'
import type { XUser } from '../../outside/x-schemas.ts'
import { addFinds } from './counts.ts'

/** Stores which leads a scrape has found. */
export async function linkScraped(tx: Db, scrapeId: string, leadIds: readonly string[]): Promise<void> {
  await tx.execute(addFinds(sql`select ${scrapeId}::uuid, unnest(${sql.param(leadIds)}::uuid[]), now()`))
}

/** Stores whether users accept messages from the account that scrapes. */
export async function storeClosed(
  tx: Db,
  row: { workspaceId: string; xAccountId: string | null },
  users: XUser[],
): Promise<void> {
  const idsOf = (takes: boolean) =>
    sql`any(${sql.param(users.filter(({ takesMessages }) => takesMessages === takes).map(({ id }) => id))}::text[])`
  await tx.execute(sql`
    update leads l set closed_to = case when l.x_user_id = ${idsOf(false)} then a.x_user_id end
    from x_accounts a
    where a.id = ${row.xAccountId} and l.workspace_id = ${row.workspaceId}
      and (
        l.x_user_id = ${idsOf(false)}
        and l.closed_to is distinct from a.x_user_id
        or l.x_user_id = ${idsOf(true)}
        and l.closed_to = a.x_user_id
      )`)
}
