import type { ListLead } from '@x-automated/contract/leads/lists'
import { StatusBadge } from '../../../ui/badge'

/** A lead's status in one list: Replied, Sent or Not Sent. */
export function ContactBadge({ lead: { contactStatus, replied } }: { lead: ListLead }) {
  if (replied) return <StatusBadge status="replied" />
  if (contactStatus === 'contacted') return <StatusBadge status="sent" />
  return <StatusBadge status="not_sent">Not Sent</StatusBadge>
}
