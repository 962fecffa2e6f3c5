import { useQuery } from '@tanstack/react-query'
import type { Limited } from '@x-automated/contract/platform/plans'
import { Lock } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../api'
import { Button } from '../../../ui/button'
import { Popover } from '../../../ui/popover'
import { SeePlans } from './usage-notice'
import { usageText } from './usage-text'

interface PlanLockProps {
  /** What the plan does not include, or how much of it is used. */
  label: string
  /** Says which plan includes it. */
  text: string
  /** Whether a higher plan allows more. */
  lifts?: boolean
}

/** The only sign of a plan's limit on a page. Pressing it says more. */
export function PlanLock({ label, text, lifts = true }: PlanLockProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Popover
      label={label}
      open={isOpen}
      onOpenChange={setOpen}
      trigger={
        <Button size="sm" variant="ghost" icon={<Lock />} className="w-fit max-w-full text-start whitespace-normal!">
          {label}
        </Button>
      }
    >
      <div className="grid justify-items-start gap-3 p-3">
        <p>{text}</p>
        {lifts && <SeePlans />}
      </div>
    </Popover>
  )
}

/** How much of a limit is used, once that matters. */
export function UsageLock({ what }: { what: Limited }) {
  const overview = useQuery(api.billing.overview.queryOptions())
  const usage = overview.data?.usage.find((entry) => entry.what === what)
  if (!usage?.warning) return null
  return <PlanLock label={usageText(usage)} text={usage.words} lifts={usage.lifts !== null} />
}
