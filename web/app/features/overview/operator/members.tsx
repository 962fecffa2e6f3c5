import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { formatNumber } from '@x-automated/contract/format'
import { Search, Users } from 'lucide-react'
import { useDeferredValue, useState } from 'react'
import { api } from '../../../api'
import { QueryError } from '../../../query-error'
import { DateTime } from '../../../ui/date-time'
import { EmptyState } from '../../../ui/empty-state'
import { Field } from '../../../ui/field'
import { Input } from '../../../ui/input'
import { Pager } from '../../../ui/pager'
import { Table, Td, Tr } from '../../../ui/table'
import { AchievementBadges } from '../../waitlist/waitlist/achievement-badges'

const PAGE_SIZE = 25
const COLUMNS = [
  { name: 'Place', end: true },
  'Email',
  'Code',
  { name: 'Referrals', end: true },
  'Achievements',
  'Joined',
  'Confirmed',
  'Invited',
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
      {members.isError ? (
        <QueryError query={members} fallback="Failed to load the members." />
      ) : members.data?.total === 0 ? (
        <EmptyState icon={<Users aria-hidden />} title={q ? 'No matches' : 'No members yet'}>
          {q
            ? 'Search by the start of an email address, a full referral code, or a position.'
            : 'Members appear here by position.'}
        </EmptyState>
      ) : (
        <div>
          {members.data?.more && (
            <p className="pb-3 text-muted">Showing the first {formatNumber(members.data.total)}.</p>
          )}
          <Table label="Members" columns={COLUMNS} stale={members.isPlaceholderData}>
            {members.data?.members.map((member) => (
              <Tr key={member.id}>
                <Td label="Place" end data-numeric>
                  {member.position > 0 ? `#${formatNumber(member.position)}` : 'Not joined'}
                </Td>
                <Td label="Email" className="wrap-anywhere">
                  {member.email ?? 'Deleted member'}
                </Td>
                <Td label="Code" className="font-mono text-xs">
                  {member.referralCode ?? '–'}
                </Td>
                <Td label="Referrals" end data-numeric>
                  {formatNumber(member.referralCount)}
                </Td>
                <Td label="Achievements">
                  <AchievementBadges keys={member.achievements} />
                </Td>
                <Td label="Joined">
                  <When at={member.joinedAt} />
                </Td>
                <Td label="Confirmed">
                  <When at={member.confirmedAt} />
                </Td>
                <Td label="Invited">
                  <When at={member.invitedAt} />
                </Td>
              </Tr>
            ))}
          </Table>
          <Pager page={page} pageSize={PAGE_SIZE} query={members} onChange={setPage} noun="members" />
        </div>
      )}
    </div>
  )
}

function When({ at }: { at: string | null }) {
  return at ? <DateTime value={at} precision="day" /> : '–'
}
