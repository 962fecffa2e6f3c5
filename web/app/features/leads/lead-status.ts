import type { Lead, LeadFilter, LeadQuery, LeadStatus, OfferedLead } from '@x-automated/contract/leads'

/** How far a lead is, as filters, badges and selection see it: contacted counts as sent, failed_contact as failed. */
export type LeadFilterStatus = NonNullable<LeadFilter['status']>

const standings: Record<LeadStatus, LeadFilterStatus> = {
  not_sent: 'not_sent',
  queued: 'queued',
  sent: 'sent',
  contacted: 'sent',
  failed: 'failed',
  failed_contact: 'failed',
}

export function filterStatusOf(lead: Pick<Lead, 'dmStatus'>): LeadFilterStatus {
  return standings[lead.dmStatus]
}

/** Queued, sent and suppressed leads cannot be selected, and get no message. */
export function canBeMessaged(lead: Pick<OfferedLead, 'dmStatus' | 'suppressed'>): boolean {
  const standing = filterStatusOf(lead)
  return !lead.suppressed && (standing === 'not_sent' || standing === 'failed')
}

/** Why a suppressed lead cannot be selected. */
export const SUPPRESSED_HINT = 'On your suppression list: nobody in this workspace can write to them.'

/**
 * The filters that together match the leads of `filter` that can be messaged, as `canBeMessaged` says it: none where it asks for those that cannot.
 * For calls that take a filter in place of ids.
 */
export function messageableParts(filter: LeadFilter): LeadQuery[] {
  const statuses: LeadFilterStatus[] = filter.status ? [filter.status] : ['not_sent', 'failed']
  return statuses
    .filter((status) => status === 'not_sent' || status === 'failed')
    .map((status) => ({ ...filter, status, suppressed: false }))
}
