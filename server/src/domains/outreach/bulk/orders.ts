import { DEFAULT_MESSAGE } from '@x-automated/contract/leads/lead-limits'
import type { BulkOrder } from '@x-automated/contract/outreach/bulk'
import { sql } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import { requireQueueable } from '../../../core/messages/direct.ts'
import { lockQueueing } from '../../../core/messages/locks.ts'
import { readTemplate } from '../../../core/messages/render.ts'
import type { ResolvedFilter } from '../../../core/people/filter.ts'
import { findStored, requireManual } from '../../../core/people/list-entries.ts'
import { resolveFilter, selectLeads } from '../../../core/people/selection.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { transact } from '../../../db/transact.ts'
import type { RequestContext } from '../../../requests/context.ts'
import { count } from '../../leads/leads/leads.ts'
import { find as findScrape } from '../../leads/scrapes/scrapes.ts'
import { requireTag, requireTags } from '../../leads/tags/tags.ts'
import { create as createJob, requireRoom } from '../../platform/jobs/jobs.ts'

// Starts jobs that change a selection of leads.

/** A job's stored order. A smart list is replaced by its filter. */
export type BulkInput<K = BulkOrder['kind']> = Omit<Extract<BulkOrder, { kind: K }>, 'filter'> & {
  filter?: ResolvedFilter
}

/** Starts a job. @throws Refusal as the contract declares; INVALID_INPUT (a placeholder) */
export async function create({ db, jobs }: Pick<RequestContext, 'db' | 'jobs'>, actor: Actor, order: BulkOrder) {
  return transact(db, async (tx) => {
    await requireRoom(tx, actor)
    const filter = order.filter && (await resolveFilter(tx, actor, order.filter))
    await check(tx, actor, order, { leadIds: order.leadIds, filter })
    const input: BulkInput = { ...order, filter }
    const total = filter ? await count(tx, actor, filter) : await countExisting(tx, actor, order.leadIds ?? [])
    return createJob(tx, jobs, actor, { kind: order.kind, input, total })
  })
}

/** Rejects an order that would fail for every lead, before its job starts. */
async function check(
  tx: Db,
  actor: Actor,
  order: BulkOrder,
  selection: { leadIds: string[] | undefined; filter: ResolvedFilter | undefined },
): Promise<void> {
  // A filter that names a deleted list, scrape or tag would match no one.
  const { listId, scrapeId, tag, tags = [] } = order.filter ?? {}
  if (listId) await findStored(tx, actor, listId)
  if (scrapeId) await findScrape(tx, actor, scrapeId)
  if (tag) await requireTag(tx, actor, tag)
  await requireTags(tx, actor, tags)
  if (order.kind === 'tag' || order.kind === 'untag') await requireTags(tx, actor, order.tagIds)
  if (order.kind === 'add_to_list' || order.kind === 'remove_from_list') await requireManual(tx, actor, order.listId)
  if (order.kind === 'queue') {
    readTemplate('message', order.message || DEFAULT_MESSAGE)
    await lockQueueing(tx, actor.workspaceId)
    await requireQueueable(tx, actor.workspaceId, selectLeads(actor, selection))
  }
}

async function countExisting(tx: Db, actor: Actor, leadIds: string[]): Promise<number> {
  const { rows } = await tx.execute<{ count: number }>(
    sql`select count(*)::int as count from (${selectLeads(actor, { leadIds })}) found`,
  )
  return one(rows).count
}
