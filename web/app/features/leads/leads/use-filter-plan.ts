import { useQuery } from '@tanstack/react-query'
import {
  ADVANCED_FILTERS_TEXT,
  FILTER_RULES_TEXT,
  hasAdvancedFilters,
  hasFilterRules,
} from '@x-automated/contract/platform/plans'
import { api } from '../../../api'

/** Why the workspace's plan does not include filters. Null if it does, or if unknown. */
export function useFilterLocks(): { advanced: string | null; rules: string | null } {
  const { data } = useQuery(api.billing.overview.queryOptions())
  if (!data) return { advanced: null, rules: null }
  const { level, rewards } = data
  return {
    advanced: hasAdvancedFilters(level) ? null : ADVANCED_FILTERS_TEXT,
    rules: hasFilterRules(level, rewards.achievements) ? null : FILTER_RULES_TEXT,
  }
}
