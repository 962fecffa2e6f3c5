import { useQuery } from '@tanstack/react-query'
import { type SequenceLimits, sequenceLimits } from '@x-automated/contract/outreach/sequence-limits'
import type { PlanLevel } from '@x-automated/contract/platform/plans'
import { api } from '../../../api'

export interface WorkspaceLimits {
  plan: PlanLevel
  limits: SequenceLimits
}

/** The limits of this workspace's sequences; undefined while unknown. */
export function useSequenceLimits(): WorkspaceLimits | undefined {
  const overview = useQuery(api.billing.overview.queryOptions()).data
  if (!overview) return undefined
  return { plan: overview.level, limits: sequenceLimits(overview.level, overview.rewards.achievements) }
}
