import { sql } from 'drizzle-orm'
import { openerCounts, openers } from '../src/core/tables/openers.ts'
import { matching, type Writer } from './matching.ts'

/** Inserts a draft of an opener, without counting it. @returns its id */
export async function insertOpener(
  { db }: Writer,
  of: { workspaceId: string; campaignId: string; leadId: string },
  text: string,
): Promise<string> {
  const plain = { factsUsed: [], profileHash: '', source: 'built_in' as const, status: 'draft' as const }
  const [opener] = await db
    .insert(openers)
    .values({ ...of, text, ...plain })
    .returning()
  return opener!.id
}

/** Marks a campaign's only opener, a draft, as failed. */
export async function failOpeners({ db }: Writer, campaignId: string): Promise<void> {
  await db.execute(sql`
    with failed as (
      update openers set status = 'failed', text = '' where campaign_id = ${campaignId} returning campaign_id
    )
    update opener_counts c set draft = 0, failed = 1 from failed where c.campaign_id = failed.campaign_id`)
}

/** Sets the count of a campaign's openers that wait for approval, without adding openers. */
export async function pretendDrafts(
  { db }: Writer,
  of: { workspaceId: string; campaignId: string },
  draft: number,
): Promise<void> {
  await db.insert(openerCounts).values({ ...of, draft })
}

/** Deletes the counts of a campaign's openers. */
export async function deleteOpenerCounts({ db }: Writer, campaignId: string): Promise<void> {
  await db.delete(openerCounts).where(matching(openerCounts, { campaignId }))
}
