import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { formatNumber } from '@x-automated/contract/format'
import type { WaitlistMember } from '@x-automated/contract/overview/operator'
import { Search, Users } from 'lucide-react'
import { useDeferredValue, useState } from 'react'
import { api, errorText } from '../../../api'
import { type Column, PagedTable } from '../../../paged-table'
import { DateTime } from '../../../ui/date-time'
import { EmptyState } from '../../../ui/empty-state'
import { Field } from '../../../ui/field'
import { Input } from '../../../ui/input'
import { AchievementBadges } from '../../waitlist/waitlist/achievement-badges'

const PAGE_SIZE = 25
const when = (at: string | null) => (at ? <DateTime value={at} precision="day" /> : '–')
const numeric = (text: string) => <span data-numeric>{text}</span>

const columns: readonly Column<WaitlistMember>[] = [
  {
    name: 'Place',
    end: true,
    cell: ({ position }) => numeric(position > 0 ? `#${formatNumber(position)}` : 'Not joined'),
  },
  { name: 'Email', className: 'wrap-anywhere', cell: ({ email }) => email ?? 'Deleted member' },
  { name: 'Code', cell: ({ referralCode }) => <span className="font-mono text-xs">{referralCode ?? '–'}</span> },
  { name: 'Referrals', end: true, cell: ({ referralCount }) => numeric(formatNumber(referralCount)) },
  { name: 'Achievements', cell: ({ achievements }) => <AchievementBadges keys={achievements} /> },
  { name: 'Joined', cell: ({ joinedAt }) => when(joinedAt) },
  { name: 'Confirmed', cell: ({ confirmedAt }) => when(confirmedAt) },
  { name: 'Invited', cell: ({ invitedAt }) => when(invitedAt) },
]

/** Members by position, or search results. */
export function Members() {
  const [typed, setTyped] = useState('')
  const [page, setPage] = useState(1)
  const q = useDeferredValue(typed.trim())
  const members = useQuery(
    api.operator.members.queryOptions({ input: { q, page, pageSize: PAGE_SIZE }, placeholderData: keepPreviousData }),
  )
  return (
    <div className="grid gap-4">
      <Field label="Search members" hint="Start of an email address, a referral code, or a position such as #12.">
        <Input
          type="search"
          leading={<Search aria-hidden />}
          value={typed}
          maxLength={254}
          onChange={(event) => {
            setTyped(event.target.value)
            setPage(1)
          }}
        />
      </Field>
      <PagedTable
        label="Members"
        query={members}
        rows={members.data?.members}
        columns={columns}
        loading="Loading members…"
        failure={(error) => errorText(error, 'Failed to load the members.')}
        above={
          members.data?.more && <p className="pb-3 text-muted">Showing the first {formatNumber(members.data.total)}.</p>
        }
        empty={
          <EmptyState icon={<Users aria-hidden />} title={q ? 'No matches' : 'No members yet'}>
            {q
              ? 'Search by the start of an email address, a full referral code, or a position.'
              : 'Members appear here by position.'}
          </EmptyState>
        }
        page={page}
        pageSize={PAGE_SIZE}
        onChange={setPage}
        noun="members"
      />
    </div>
  )
}
