import { sql } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import type { Db } from '../../../db/open.ts'
import { findCampaign, findSteps } from './service.ts'

type Figures = { sent: number; read: number; replied: number; positive: number; optedOut: number; failed: number }
const NOTHING: Figures = { sent: 0, read: 0, replied: 0, positive: 0, optedOut: 0, failed: 0 }

/** The results of each step and variant. @throws Refusal CAMPAIGN_NOT_FOUND */
export async function results(db: Db, actor: Actor, id: string) {
  const campaign = await findCampaign(db, actor, id)
  const steps = await findSteps(db, campaign)
  const figures = await readFigures(db, id)
  return {
    steps: steps.map((step, index) => ({
      id: step.id,
      number: index + 1,
      kind: step.kind,
      allocation: step.allocation,
      isSplitOff: false,
      variants: step.variants.map((variant) => ({
        id: variant.id,
        name: variant.name,
        isActive: variant.isActive,
        ...(figures.get(variant.id) ?? NOTHING),
      })),
      verdict: null,
    })),
  }
}

/** A campaign's figures by variant, from counters that triggers maintain. */
async function readFigures(db: Db, campaignId: string): Promise<Map<string, Figures>> {
  const { rows } = await db.execute<Figures & { id: string }>(sql`
    select variant_id as id, sum(sent)::int as sent, sum(delivered)::int as read, sum(answered)::int as replied,
      sum(positive)::int as positive, sum(opted_out)::int as "optedOut", sum(failed)::int as failed
    from dm_activity where campaign_id = ${campaignId} group by 1`)
  return new Map(rows.map(({ id, ...figures }) => [id, figures]))
}
