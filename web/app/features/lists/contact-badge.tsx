import type { ListLead } from '@x-automated/contract/lists'
import { StatusBadge } from '../../ui/badge'

/** How a lead stands in one list (specification §4): whoever answered shows Replied, whoever was written to Sent, all others Not Sent. */
export function ContactBadge({ lead: { contactStatus, replied } }: { lead: ListLead }) {
  if (replied) return <StatusBadge status="replied" />
  if (contactStatus === 'contacted') return <StatusBadge status="sent" />
  return <StatusBadge status="not_sent">Not Sent</StatusBadge>
}
