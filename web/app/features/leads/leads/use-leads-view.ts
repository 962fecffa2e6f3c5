import type { LeadFilter, LeadSort } from '@x-automated/contract/leads/leads'
import { useState } from 'react'
import { useLocation, useSearchParams } from 'react-router'
import { parseLeadsParams } from './leads-params'
import { type LeadsView, toLeadsParams } from './leads-url'

/** The requested URL queries that are still pending after the router has reported `arrived`. */
export function underWay(requested: readonly string[], arrived: string): readonly string[] {
  const index = requested.lastIndexOf(arrived)
  // Any other URL query comes from a link or the back button, and takes effect immediately.
  return index < 0 ? [] : requested.slice(index + 1)
}

interface LeadsNavigation extends LeadsView {
  goTo: (filter: LeadFilter, page: number, how?: { replace?: boolean; sort?: LeadSort }) => void
}

/**
 * The filter, order and page in the URL. On a slow machine, the router reports a new URL late, so
 * requested values take effect immediately. Otherwise the next change would start from the old
 * filter.
 */
export function useLeadsView(): LeadsNavigation {
  const [params, setParams] = useSearchParams()
  const { key } = useLocation()
  const [requested, setRequested] = useState<readonly string[]>([])
  const [seenKey, setSeenKey] = useState(key)
  if (key !== seenKey) {
    setSeenKey(key)
    setRequested(underWay(requested, params.toString()))
  }
  const latest = requested.at(-1)
  const view = parseLeadsParams(latest === undefined ? params : new URLSearchParams(latest))
  return {
    ...view,
    goTo(filter, page, { replace = false, sort = view.sort } = {}) {
      const next = toLeadsParams(filter, page, sort)
      setRequested([...requested, next.toString()])
      setParams(next, { preventScrollReset: true, replace })
    },
  }
}
