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

/** A campaign's figures by variant. */
async function readFigures(db: Db, campaignId: string): Promise<Map<string, Figures>> {
  const { rows } = await db.execute<Figures & { id: string }>(sql`
    select d.variant_id as id, (count(*) filter (where d.sent_at is not null))::int as sent,
      (count(*) filter (where d.status in ('delivered', 'replied')))::int as read,
      (count(*) filter (where said.has_reply))::int as replied, (count(*) filter (where said.is_positive))::int as positive,
      (count(*) filter (where said.has_opted_out))::int as "optedOut", (count(*) filter (where d.status = 'failed'))::int as failed
    from dms d left join lateral (
      select bool_or(r.label is distinct from 'auto_reply') as has_reply, bool_or(r.label in ('interested', 'meeting', 'question')) as is_positive,
        bool_or(r.label = 'opted_out') as has_opted_out
      from replies r where d.status = 'replied' and r.dm_id = d.id and r.kind = 'reply'
    ) said on true
    where d.campaign_id = ${campaignId} and d.variant_id is not null group by 1`)
  return new Map(rows.map(({ id, ...figures }) => [id, figures]))
}
