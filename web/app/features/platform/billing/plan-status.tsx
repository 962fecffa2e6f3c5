import { StatusBadge } from '../../../ui/badge'

const STATUSES = {
  active: { look: 'active', label: 'Active' },
  expired: { look: 'archived', label: 'Expired' },
  plan: { look: 'paused', label: 'Paused' },
  suspended: { look: 'paused', label: 'Suspended' },
}

/** The status of something that can expire. It also stops working while the plan does not include it (`plan`). */
export function PlanStatus({ status }: { status: keyof typeof STATUSES }) {
  const { look, label } = STATUSES[status]
  return <StatusBadge status={look}>{label}</StatusBadge>
}
