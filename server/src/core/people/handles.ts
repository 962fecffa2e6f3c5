import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Db } from '../../db/open.ts'
import { transact } from '../../db/transact.ts'
import type { XHappening } from '../../outside/x-delivery.ts'
import { storeHandle } from '../neighbors.ts'
import { leads } from '../tables/leads.ts'
import {
  correctLeads,
  isOfAnother,
  isOutdated,
  isSameHandle,
  isTaken,
  leadsLock,
  releaseSuppressions,
} from './identity.ts'
import { incoming, openStage } from './stage-table.ts'

const lead = alias(leads, 'l')

// X shows people with their current handles, again and again. Most of them are known already.

/** A person as X has shown them. */
export interface XPerson {
  id: string
  handle: string
  /** Defaults to now. */
  seenAt?: Date
}

/**
 * Stores the handles of leads that X has shown. Stores nothing while another writer of leads is
 * busy, because X will show the handles again. @param people unique by id
 */
export async function learnHandles(db: Db, workspaceId: string, people: readonly XPerson[]): Promise<void> {
  if (people.length === 0) return
  const { rows } = await db.execute<{ isNews: boolean }>(
    sql`select ${isNews(sql`${workspaceId}::uuid`, peopleOf(people))} as "isNews"`,
  )
  if (rows[0]?.isNews) await storeHandles(db, workspaceId, people)
}

/** Stores people's current handles from events. @param ofApp only accounts of this app count; null: all accounts */
export async function learnFromEvents(db: Db, happenings: readonly XHappening[], ofApp: string | null): Promise<void> {
  const people = new Map<string, XPerson>()
  for (const happening of happenings) {
    if (happening.kind === 'handle') await storeHandle(db, happening, ofApp)
    const seenAt = 'at' in happening && happening.at ? { seenAt: happening.at } : {}
    for (const [id, handle] of Object.entries(happening.handles)) {
      const before = people.get(id)?.seenAt
      if (!before || !seenAt.seenAt || before <= seenAt.seenAt) people.set(id, { id, handle, ...seenAt })
    }
  }
  if (people.size === 0) return
  const shown = [...people.values()]
  const { rows } = await db.execute<{ workspaceId: string }>(sql`
    select workspace_id as "workspaceId"
    from (
      select distinct workspace_id
      from x_accounts a
      where a.x_user_id = any(${sql.param([...people.keys()])}::text[])
        and (${ofApp}::uuid is null or a.x_app_id = ${ofApp}::uuid)
        and a.status <> 'disconnected'
    ) w
    where ${isNews(sql`w.workspace_id`, peopleOf(shown))}`)
  for (const { workspaceId } of rows) await storeHandles(db, workspaceId, shown)
}

/** SQL: X knows more about these people than the workspace does. @param people a relation like `incoming_leads` */
function isNews(workspaceId: SQL, people: SQL): SQL<boolean> {
  return sql`(
    exists (
      select
      from ${people} i
      join leads l on l.workspace_id = ${workspaceId} and l.x_user_id = i.x_user_id
      where ${isOutdated}
    )
    or exists (
      select
      from ${people} i
      join leads l on l.workspace_id = ${workspaceId} and ${isSameHandle(lead, incoming)}
      where ${isTaken}
    )
    or exists (select from ${people} i join suppressions s on s.workspace_id = ${workspaceId} and s.twitter_handle = lower(i.twitter_handle) where ${isOfAnother}))`
}

const peopleOf = (people: readonly XPerson[]) => sql`(
  select id as x_user_id, handle as twitter_handle, coalesce("seenAt", now())::timestamptz(3) as seen_at
  from jsonb_to_recordset(${JSON.stringify(people.map(({ id, handle, seenAt }) => ({ id, handle, seenAt })))}::jsonb)
    as seen(id text, handle text, "seenAt" timestamptz))`

async function storeHandles(db: Db, workspaceId: string, people: readonly XPerson[]): Promise<void> {
  await transact(db, async (tx) => {
    const { rows } = await tx.execute<{ isFree: boolean }>(
      sql`select pg_try_advisory_xact_lock(${leadsLock(workspaceId)}) as "isFree"`,
    )
    if (!rows[0]?.isFree) return
    await openStage(tx)
    await tx.execute(sql`
      insert into incoming_leads (line, x_user_id, twitter_handle, seen_at)
      select row_number() over (), x_user_id, twitter_handle, seen_at from ${peopleOf(people)} seen`)
    await releaseSuppressions(tx, workspaceId)
    await correctLeads(tx, workspaceId)
    await tx.execute(sql`delete from incoming_leads`)
  })
}
