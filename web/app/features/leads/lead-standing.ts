import type { Lead, LeadFilter, LeadStatus } from '@x-automated/contract/leads'

/** How far a lead is, as filters, badges and selection see it: contacted counts as sent, failed_contact as failed. */
export type LeadStanding = NonNullable<LeadFilter['status']>

const standings: Record<LeadStatus, LeadStanding> = {
  not_sent: 'not_sent',
  queued: 'queued',
  sent: 'sent',
  contacted: 'sent',
  failed: 'failed',
  failed_contact: 'failed',
}

export function standingOf(lead: Pick<Lead, 'dmStatus'>): LeadStanding {
  return standings[lead.dmStatus]
}

/** Queued and sent leads cannot be selected, and get no second message. */
export function canBeMessaged(lead: Pick<Lead, 'dmStatus'>): boolean {
  const standing = standingOf(lead)
  return standing === 'not_sent' || standing === 'failed'
}

/**
 * The filters that together match exactly the leads of `filter` that can be messaged: none where it asks for those that cannot.
 * For calls that take a filter in place of ids.
 */
export function messageableParts(filter: LeadFilter): LeadFilter[] {
  const statuses: LeadStanding[] = filter.status ? [filter.status] : ['not_sent', 'failed']
  return statuses
    .filter((status) => status === 'not_sent' || status === 'failed')
    .map((status) => ({ ...filter, status }))
}
