import { formatNumber } from '@x-automated/contract/format'
import { WORKSPACE_BYTES_MAX, WORKSPACE_LEADS_MAX } from '@x-automated/contract/leads/lead-limits'
import { sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { one } from '../../db/one.ts'
import type { Db } from '../../db/open.ts'
import { Refusal } from '../../refusal.ts'
import { allBytes, leads } from '../tables/leads.ts'
import { countedLeads } from './selection.ts'
import { incoming } from './stage-table.ts'

// Limits how much a workspace stores. Leads are counted exactly; their bytes have an upper bound that
// is rarely recounted.

const LIMITS = { leads: WORKSPACE_LEADS_MAX, bytes: WORKSPACE_BYTES_MAX }

/**
 * Adds the bytes of the staged leads to their workspace. The caller holds the lock on its leads.
 * @throws Refusal TOO_MANY: `isLimited`, and the workspace would store too much
 */
export async function takeSpace(
  tx: Db,
  workspaceId: string,
  { isLimited, limits = LIMITS }: { isLimited: boolean; limits?: typeof LIMITS },
): Promise<void> {
  const { rows } = await tx.execute<{ stored: number; added: number; addedBytes: number; bytes: number | null }>(sql`
    with staged as materialized (
      select count(*) filter (where is_new) as added, coalesce(sum(${allBytes(incoming)}), 0) as bytes
      from incoming_leads i
    ),
    bound as (
      update lead_bytes b
      set bytes = b.bytes + staged.bytes
      from staged
      where b.workspace_id = ${workspaceId}
      returning b.bytes
    )
    select ${countedLeads(workspaceId, undefined)} as stored, added::int, bytes::float8 as "addedBytes",
      (select bytes::float8 from bound) as bytes from staged`)
  const { stored, added, addedBytes, bytes } = one(rows)
  if (isLimited && added > 0 && stored + added > limits.leads) throw isFull(`${formatNumber(limits.leads)} leads`)
  if (bytes !== null && (bytes <= limits.bytes || !isLimited)) return
  if (!isLimited || addedBytes === 0) {
    await countBytes(tx, workspaceId, addedBytes)
    return
  }
  const tooManyBytes = () => isFull(`${formatNumber(limits.bytes / 1e9)} GB of leads`, ' in a minute')
  const cached = full.get(workspaceId)
  if (cached && Date.now() < cached.until && cached.bytes + addedBytes > limits.bytes) throw tooManyBytes()
  const counted = await countBytes(tx, workspaceId, addedBytes)
  if (counted <= limits.bytes) return
  full.set(workspaceId, { bytes: counted - addedBytes, until: Date.now() + RECOUNT_MS })
  throw tooManyBytes()
}

/** Bytes of full workspaces. Cached here, because a refusal rolls back the count in the database. */
const full = new Map<string, { bytes: number; until: number }>()
/** The leads of a full workspace are counted again at most this often. */
const RECOUNT_MS = 60_000

const isFull = (most: string, when = '') =>
  new Refusal(
    'TOO_MANY',
    `A workspace can store at most ${most}. Delete leads that you no longer need, then try again${when}.`,
  )

/** Counts the bytes of the workspace's leads by reading all of them. Stores and returns the sum with `added`. */
async function countBytes(tx: Db, workspaceId: string, added: number): Promise<number> {
  const { rows } = await tx.execute<{ bytes: number }>(sql`
    insert into lead_bytes (workspace_id, bytes)
    select ${workspaceId}, coalesce(sum(${allBytes(alias(leads, 'l'))}), 0) + ${added}::bigint
    from leads l
    where l.workspace_id = ${workspaceId}
    on conflict (workspace_id) do update set bytes = excluded.bytes returning bytes::float8 as bytes`)
  return one(rows).bytes
}
