import { useQuery } from '@tanstack/react-query'
import type { Limited } from '@x-automated/contract/platform/plans'
import { api } from '../../../api'
import { paths } from '../../../paths'
import { ButtonLink } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { SkeletonLine } from '../../../ui/skeleton'
import { usageText } from './usage-text'

/** How much of a limit is used. From 80% on, with a link to plans. Empty if unlimited. */
export function UsageNotice({ what }: { what: Limited }) {
  const overview = useQuery(api.billing.overview.queryOptions())
  if (overview.isPending) return <SkeletonLine className="w-56" />
  const usage = overview.data?.usage.find((entry) => entry.what === what)
  if (!usage || usage.limit === null) return null
  if (!usage.warning)
    return (
      <p className="text-muted" data-numeric>
        {usageText(usage)}
      </p>
    )
  return (
    <Callout tone="warn" title={<span data-numeric>{usageText(usage)}</span>} action={usage.lifts && <SeePlans />}>
      {usage.words}
    </Callout>
  )
}

export function SeePlans() {
  return (
    <ButtonLink size="sm" to={paths.billing}>
      See plans
    </ButtonLink>
  )
}
