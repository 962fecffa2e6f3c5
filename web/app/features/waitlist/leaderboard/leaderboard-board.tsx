import { formatCount, formatNumber } from '@x-automated/contract/format'
import type { LeaderboardPeriod, LeaderboardRow } from '@x-automated/contract/waitlist/waitlist'
import { Medal, Send, Trophy } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { paths } from '../../../paths'
import { QueryError } from '../../../query-error'
import { useCarriedReferral } from '../../../referral-code'
import { useSession } from '../../../session'
import { Avatar } from '../../../ui/avatar'
import { Badge } from '../../../ui/badge'
import { Button, ButtonLink } from '../../../ui/button'
import { cn } from '../../../ui/cn'
import { EmptyState } from '../../../ui/empty-state'
import { Pager } from '../../../ui/pager'
import { Table, Td, Tr } from '../../../ui/table'
import { AchievementBadges } from '../waitlist/achievement-badges'
import { AchievementLegend } from '../waitlist/achievement-legend'
import { LEADERBOARD_PAGE_SIZE, useLeaderboard } from './use-leaderboard'

/** One period's leaderboard with its loading, error and empty states. */
export function LeaderboardBoard({ period }: { period: LeaderboardPeriod }) {
  const [page, setPage] = useState(1)
  const { loadingText, problem, board, stale, query } = useLeaderboard(period, page)
  const ownRow = useRef<HTMLTableRowElement>(null)
  const [seeking, setSeeking] = useState(false)

  useEffect(() => {
    if (!seeking || !board || stale) return
    ownRow.current?.scrollIntoView({ block: 'center' })
    // Moves screen readers to the row, too.
    ownRow.current?.focus({ preventScroll: true })
    setSeeking(false)
  }, [seeking, board, stale])

  if (problem) return <QueryError query={query}>{problem}</QueryError>
  if (board?.total === 0)
    return (
      <div className="grid gap-10">
        <EmptyBoard />
        <AchievementLegend />
      </div>
    )

  const own = board?.own
  return (
    <>
      <div className="flex min-h-11 flex-wrap items-center justify-between gap-x-4 pb-3 text-muted">
        <p role="status" data-numeric>
          {loadingText ??
            (own
              ? `You're #${formatNumber(own.rank)} of ${formatNumber(board.total)}`
              : `${formatCount(board?.total ?? 0, 'person', 'people')} on this leaderboard`)}
        </p>
        {own && (
          <Button
            size="sm"
            onClick={() => {
              setPage(Math.ceil(own.rank / LEADERBOARD_PAGE_SIZE))
              setSeeking(true)
            }}
          >
            Show my row
          </Button>
        )}
      </div>
      {page === 1 && board && <Podium rows={board.leaderboard.slice(0, PODIUM)} />}
      <Table
        label="Leaderboard"
        narrow="scroll"
        columns={['Rank', { name: 'User', className: 'w-full' }, { name: 'Referrals', end: true }, 'Achievements']}
        stale={stale}
        // Enough to fill a screen, so that content below doesn't jump.
        skeletonRows={20}
      >
        {board?.leaderboard.map((row) => (
          <BoardRow key={row.id} row={row} ref={row.isOwn ? ownRow : undefined} />
        ))}
      </Table>
      <Pager
        page={page}
        pageSize={LEADERBOARD_PAGE_SIZE}
        query={{ data: board, isFetching: stale }}
        onChange={setPage}
        noun="people"
      />
      {/* Appears together with the rows. If it came first, they would push it down. */}
      {board && (
        <div className="pt-12">
          <AchievementLegend />
        </div>
      )}
    </>
  )
}

const PODIUM = 3
/** First place is in the middle. */
const PODIUM_LOOKS = [
  { place: 'order-2', bar: 'h-16', medal: 'text-tier-gold' },
  { place: 'order-1', bar: 'h-11', medal: 'text-tier-silver' },
  { place: 'order-3', bar: 'h-8', medal: 'text-tier-bronze' },
]

/** The top three, who are also in the table. */
function Podium({ rows }: { rows: readonly LeaderboardRow[] }) {
  if (rows.length < PODIUM) return null
  return (
    <div aria-hidden className="mx-auto grid max-w-xl grid-cols-3 items-end gap-2 pt-2 pb-8 text-center">
      {rows.map(({ id, email, referralCount }, index) => {
        const look = PODIUM_LOOKS[index]
        return (
          <div key={id} className={cn('grid min-w-0 justify-items-center gap-1', look?.place)}>
            <Avatar name={initialsOf(email)} letters={2} />
            <span className="w-full truncate text-xs">{email}</span>
            <span className="text-xs text-muted" data-numeric>
              {formatCount(referralCount, 'referral')}
            </span>
            <span
              className={cn(
                'mt-1 flex w-full items-start justify-center rounded-t-md border border-b-0 border-line bg-sunken pt-1',
                look?.bar,
              )}
            >
              <Medal className={cn('size-5', look?.medal)} />
            </span>
          </div>
        )
      })}
    </div>
  )
}

/** Up to two letters of the part before the @, without the masking asterisks. */
function initialsOf(email: string): string {
  return email.replace(/[@*].*$/s, '')
}

function BoardRow({ row, ref }: { row: LeaderboardRow; ref: React.Ref<HTMLTableRowElement> | undefined }) {
  return (
    <Tr ref={ref} tabIndex={row.isOwn ? -1 : undefined} selected={row.isOwn} aria-current={row.isOwn || undefined}>
      <Td className="text-muted" data-numeric>
        {formatNumber(row.rank)}
      </Td>
      <Td>
        <span className="flex items-center gap-3">
          <Avatar name={initialsOf(row.email)} size="sm" letters={2} />
          <span className="wrap-anywhere">{row.email}</span>
          {row.isOwn && <Badge tone="accent">You</Badge>}
        </span>
      </Td>
      <Td end>{formatNumber(row.referralCount)}</Td>
      <Td>
        <AchievementBadges keys={row.achievements} />
      </Td>
    </Tr>
  )
}

function EmptyBoard() {
  const isMember = useSession().status === 'signed-in'
  const carry = useCarriedReferral()
  return (
    <EmptyState
      icon={<Trophy aria-hidden />}
      title="No data for this time period yet. Refer friends to be the first to appear on the leaderboard!"
      action={
        <ButtonLink to={isMember ? paths.dashboard : carry(paths.waitlist)} icon={<Send aria-hidden />}>
          Get your referral link
        </ButtonLink>
      }
    >
      Share your referral link. You'll appear here once a friend joins.
    </EmptyState>
  )
}
