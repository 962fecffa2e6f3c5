import { isId, isMoment } from '@x-automated/contract/fields'
import type { DmStatus } from '@x-automated/contract/outreach/campaigns'
import { skipText } from '@x-automated/contract/reason'
import { and, asc, eq, gt, or } from 'drizzle-orm'
import type { Db } from '../../../db/open.ts'
import { invalidField } from '../../../refusal.ts'
import { leads } from '../../leads/leads/tables.ts'
import type { campaigns } from '../campaigns/tables.ts'
import { dms } from './tables.ts'

type Campaign = typeof campaigns.$inferSelect

export const dmColumns = {
  id: dms.id,
  campaignId: dms.campaignId,
  status: dms.status,
  message: dms.message,
  sentAt: dms.sentAt,
  createdAt: dms.createdAt,
  updatedAt: dms.updatedAt,
  errorMessage: dms.errorMessage,
  reason: dms.reason,
  outcomeUnknown: dms.outcomeUnknown,
  lead: { id: leads.id, name: leads.name, twitterHandle: leads.twitterHandle },
}

/** Renders the reason of a skipped message as its `errorMessage`. */
export function dmAnswer<Row extends Pick<typeof dms.$inferSelect, 'reason' | 'errorMessage'>>(row: Row): Row {
  return row.reason ? { ...row, errorMessage: skipText(row.reason) } : row
}

interface DmPage {
  status?: DmStatus
  page: number
  pageSize: number
  cursor?: string
}

/**
 * Lists a campaign's messages in the order they were queued. With `cursor`, every page costs the
 * same.
 */
export async function listDms(db: Db, campaign: Campaign, { status, page, pageSize, cursor }: DmPage) {
  const matches = and(eq(dms.campaignId, campaign.id), status && eq(dms.status, status))
  const after = cursor === undefined ? undefined : readCursor(cursor)
  // Selects ids from the index first, then loads only these rows.
  const shownIds = db
    .select({ id: dms.id })
    .from(dms)
    .where(and(matches, after))
    .orderBy(asc(dms.createdAt), asc(dms.id))
    .limit(pageSize + 1)
    .offset(after ? 0 : (page - 1) * pageSize)
    .as('shown')
  const rows = await db
    .select(dmColumns)
    .from(shownIds)
    .innerJoin(dms, eq(dms.id, shownIds.id))
    .leftJoin(leads, eq(leads.id, dms.leadId))
    .orderBy(asc(dms.createdAt), asc(dms.id))
  const shown = rows.slice(0, pageSize)
  const last = rows.length > pageSize ? shown.at(-1) : undefined
  return {
    dms: shown.map(dmAnswer),
    total: countDms(campaign, status),
    page,
    pageSize,
    cursor: last ? Buffer.from(`${last.createdAt.toISOString()} ${last.id}`).toString('base64url') : null,
  }
}

/**
 * Uses the counts that triggers maintain. Sent includes delivered, and delivered includes replied.
 */
function countDms(campaign: Campaign, status: DmStatus | undefined): number {
  const { dmsQueuedCount, dmsSentCount, dmsFailedCount, dmsDeliveredCount, dmsRepliedCount } = campaign
  switch (status) {
    case undefined:
      return dmsQueuedCount + dmsSentCount + dmsFailedCount
    case 'queued':
      return dmsQueuedCount
    case 'sent':
      return dmsSentCount - dmsDeliveredCount
    case 'delivered':
      return dmsDeliveredCount - dmsRepliedCount
    case 'replied':
      return dmsRepliedCount
    case 'failed':
      return dmsFailedCount
  }
}

function readCursor(cursor: string) {
  const [at, id] = Buffer.from(cursor, 'base64url').toString().split(' ')
  if (!isMoment(at ?? '') || !isId(id ?? '')) throw invalidField('cursor', 'must be the cursor of an earlier response')
  const createdAt = new Date(at ?? '')
  return or(gt(dms.createdAt, createdAt), and(eq(dms.createdAt, createdAt), gt(dms.id, id as string)))
}
