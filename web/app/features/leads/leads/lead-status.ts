import type {
  Lead,
  LeadFilter,
  LeadQuery,
  LeadStanding,
  LeadStatus,
  ListedLead,
  OfferedLead,
} from '@x-automated/contract/leads/leads'

export type LeadFilterStatus = NonNullable<LeadFilter['status']>

const standings: Record<LeadStatus, LeadStanding> = {
  not_sent: 'not_sent',
  queued: 'queued',
  sent: 'sent',
  contacted: 'sent',
  failed: 'failed',
  failed_contact: 'failed',
}

/** The status to select leads by. contacted counts as sent, failed_contact as failed. */
export function filterStatusOf(lead: Pick<Lead, 'dmStatus'>): LeadStanding {
  return standings[lead.dmStatus]
}

/** The status in the table: the most important fact about the lead. */
export function displayStatusOf({
  dmStatus,
  suppressed,
  replied,
}: Pick<ListedLead, 'dmStatus' | 'suppressed' | 'replied'>) {
  if (suppressed) return 'suppressed'
  return replied && standings[dmStatus] === 'sent' ? 'replied' : dmStatus
}

/** Whether a lead can be messaged. Queued, sent and suppressed leads cannot. */
export function canBeMessaged(lead: Pick<OfferedLead, 'dmStatus' | 'suppressed'>): boolean {
  const status = filterStatusOf(lead)
  return !lead.suppressed && (status === 'not_sent' || status === 'failed')
}

/** Why a suppressed lead cannot be messaged. */
export const SUPPRESSED_HINT = 'On your suppression list: no one in this workspace can message them.'

/** Why a lead cannot be messaged; null if it can. */
export function unsendableText(lead: Pick<OfferedLead, 'dmStatus' | 'suppressed'>): string | null {
  if (canBeMessaged(lead)) return null
  if (lead.suppressed) return SUPPRESSED_HINT
  return filterStatusOf(lead) === 'queued' ? 'A message to them is already queued.' : 'You have already messaged them.'
}

/** Filters that together match the messageable leads of `filter`, because the API accepts one status each. */
export function messageableParts(filter: LeadFilter): LeadQuery[] {
  const statuses: LeadFilterStatus[] = filter.status ? [filter.status] : ['not_sent', 'failed']
  return statuses
    .filter((status) => status === 'not_sent' || status === 'failed')
    .map((status) => ({ ...filter, status, suppressed: false }))
}
