import type { Outcome } from '@x-automated/contract/outreach/sequences'
import { and, eq, inArray, type SQL, sql } from 'drizzle-orm'
import { campaigns } from '../../../core/tables/campaigns.ts'
import { sequenceVersions } from '../../../core/tables/sequences.ts'
import type { Db } from '../../../db/open.ts'

type Figures = Record<Outcome, number>
export const NOTHING: Figures = { sent: 0, read: 0, replied: 0, positive: 0, optedOut: 0, failed: 0, skipped: 0 }

/**
 * Campaigns' figures by variant, from counters (core/messages/counts.ts). @param during SQL
 * condition on `dm_activity`; default: all time
 */
export async function readFigures(
  db: Db,
  campaignIds: readonly string[],
  during: SQL = sql`true`,
): Promise<Map<string, Figures>> {
  const { rows } = await db.execute<Figures & { id: string }>(sql`
    select variant_id as id, sum(sent)::int as sent, sum(delivered)::int as read, sum(answered)::int as replied,
      sum(positive)::int as positive, sum(opted_out)::int as "optedOut", sum(failed - skipped)::int as failed,
      sum(skipped)::int as skipped
    from dm_activity where campaign_id = any(${sql.param(campaignIds)}::uuid[]) and ${during} group by 1`)
  return new Map(rows.map(({ id, ...figures }) => [id, figures]))
}

/** The current steps of campaigns with their figures, by campaign. @param during as in `readFigures` */
export async function findStepFigures(db: Db, workspaceId: string, campaignIds: readonly string[], during?: SQL) {
  if (campaignIds.length === 0) return new Map<string, never[]>()
  const current = and(
    eq(sequenceVersions.workspaceId, campaigns.workspaceId),
    eq(sequenceVersions.campaignId, campaigns.id),
    eq(sequenceVersions.version, campaigns.version),
  )
  const versions = await db
    .select({ campaignId: campaigns.id, steps: sequenceVersions.steps })
    .from(campaigns)
    .innerJoin(sequenceVersions, current)
    .where(and(eq(campaigns.workspaceId, workspaceId), inArray(campaigns.id, [...campaignIds])))
  const figures = await readFigures(db, campaignIds, during)
  return new Map(
    versions.map(({ campaignId, steps }) => [
      campaignId,
      steps.map(({ kind, variants }, index) => ({
        number: index + 1,
        kind,
        variants: variants.map(({ id, name, isActive }) => ({ name, isActive, ...(figures.get(id) ?? NOTHING) })),
      })),
    ]),
  )
}
