import { useIsFetching, useQueryClient } from '@tanstack/react-query'
import type { LeaderboardPeriod } from '@x-automated/contract/waitlist/waitlist'
import { RefreshCw } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { api } from '../../../api'
import { Button } from '../../../ui/button'
import { cn } from '../../../ui/cn'
import { NeedsScript } from '../../../ui/needs-script'
import { PageHeader } from '../../../ui/page-header'
import { Tabs, useTabParam } from '../../../ui/tabs'
import { LeaderboardBoard } from './leaderboard-board'

/** How long the refresh icon spins at the minimum, in milliseconds. */
const SPIN_MS = 800

const tabs: { value: LeaderboardPeriod; label: string }[] = [
  { value: 'alltime', label: 'All Time' },
  { value: 'week', label: 'This Week' },
  { value: 'today', label: 'Today' },
]

interface LeaderboardProps {
  title?: string
  description?: ReactNode
  /** 'h1' if it is the page's title. */
  heading?: 'h1' | 'h2'
  /** Shown above the tabs. */
  children?: ReactNode
}

/** The leaderboard of all time (default), this week or today. The URL contains the open tab. */
export function Leaderboard({
  title = 'Referral Leaderboard',
  description,
  heading = 'h2',
  children,
}: LeaderboardProps) {
  const [period, openPeriod] = useTabParam(['alltime', 'week', 'today'], 'period')
  return (
    <div>
      {heading === 'h1' ? (
        <PageHeader title={title} description={description} actions={<RefreshButton />} />
      ) : (
        <header className="flex flex-wrap items-end justify-between gap-x-6 gap-y-4 pb-6">
          <div className="grid gap-1">
            <h2 className="text-xl">{title}</h2>
            {description && <p className="max-w-2xl text-muted">{description}</p>}
          </div>
          <RefreshButton />
        </header>
      )}
      {children}
      <NeedsScript what="The leaderboard" />
      <div className="noscript:hidden">
        <Tabs
          label="Period"
          value={period}
          onChange={openPeriod}
          tabs={tabs.map((tab) => ({ ...tab, content: <LeaderboardBoard period={tab.value} /> }))}
        />
      </div>
    </div>
  )
}

function RefreshButton() {
  const queries = useQueryClient()
  const queryKey = api.waitlist.leaderboard.key()
  const isFetching = useIsFetching({ queryKey }) > 0
  const [pressed, setPressed] = useState(false)
  useEffect(() => {
    if (!pressed) return
    const timer = setTimeout(() => setPressed(false), SPIN_MS)
    return () => clearTimeout(timer)
  }, [pressed])
  return (
    <Button
      icon={<RefreshCw aria-hidden className={cn((pressed || isFetching) && 'animate-spin')} />}
      aria-busy={pressed || undefined}
      aria-disabled={pressed || undefined}
      onClick={() => {
        if (pressed) return
        setPressed(true)
        void queries.invalidateQueries({ queryKey })
      }}
    >
      Refresh
    </Button>
  )
}
