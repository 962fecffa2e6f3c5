import { useInfiniteQuery } from '@tanstack/react-query'
import { formatNumber } from '@x-automated/contract/format'
import { useState } from 'react'
import { Link } from 'react-router'
import { api } from '../../../api'
import { paths } from '../../../paths'
import { QueryError } from '../../../query-error'
import { Avatar } from '../../../ui/avatar'
import { Button, ButtonLink } from '../../../ui/button'
import { DateTime } from '../../../ui/date-time'
import { SkeletonText } from '../../../ui/skeleton'
import { useIsOffered } from '../../identity/people/use-role'
import { useAccounts } from '../../platform/x-account/use-accounts'
import { LabelName } from '../inbox/label-name'
import { personName } from './enrollment-text'
import { LeadName } from './lead-name'
import type { PeopleFilter } from './people-sheet'

const FIRST = 5
const MORE = 10
const PAGE_SIZE = 50

interface RepliesSectionProps {
  campaignId: string
  pollEveryMs: number | false
  onShow: (filter: PeopleFilter) => void
}

/** The latest replies to a campaign. */
export function RepliesSection({ campaignId, pollEveryMs, onShow }: RepliesSectionProps) {
  const [visibleCount, setVisibleCount] = useState(FIRST)
  const dms = useInfiniteQuery(
    api.campaigns.dms.infiniteOptions({
      input: (cursor: string | undefined) => ({ id: campaignId, status: 'replied', pageSize: PAGE_SIZE, cursor }),
      initialPageParam: undefined,
      getNextPageParam: ({ cursor }) => cursor ?? undefined,
      refetchInterval: pollEveryMs,
    }),
  )
  const read = dms.data?.pages.flatMap((page) => page.dms) ?? []
  const latest = read.toSorted((a, b) => (b.reply?.at ?? '').localeCompare(a.reply?.at ?? '')).slice(0, visibleCount)
  const total = dms.data?.pages[0]?.total
  const accounts = useAccounts().data?.accounts
  const mayRead = useIsOffered('member')
  const areTextsMissing =
    latest.length > 0 &&
    latest.every(({ reply }) => !reply?.text) &&
    accounts?.every(({ storesConversations }) => !storesConversations)
  const showMore = () => {
    setVisibleCount(visibleCount + MORE)
    if (visibleCount + MORE > read.length && dms.hasNextPage) void dms.fetchNextPage()
  }
  return (
    <section className="grid content-start gap-3">
      <div className="flex min-h-8 items-center justify-between gap-4">
        <h2 className="text-base">
          Replies{' '}
          {total !== undefined && (
            <span className="font-normal text-muted" data-numeric>
              {formatNumber(total)}
            </span>
          )}
        </h2>
        <span className="flex items-center">
          {mayRead && total !== undefined && total > 0 && (
            <ButtonLink size="sm" variant="ghost" to={`${paths.inbox}?campaign=${campaignId}`}>
              Open in inbox
            </ButtonLink>
          )}
          {total !== undefined && total > FIRST && (
            <Button size="sm" variant="ghost" onClick={() => onShow({ title: 'Replied', outcome: 'replied' })}>
              Show all
            </Button>
          )}
        </span>
      </div>
      {dms.isError && !dms.data ? (
        <QueryError query={dms} />
      ) : total === undefined ? (
        <SkeletonText lines={4} />
      ) : total === 0 ? (
        <p className="text-muted">Nobody has replied yet. A reply stops the follow-ups of that person.</p>
      ) : (
        <ul className="grid">
          {latest.map(({ id, lead, reply }) => {
            const label = reply?.label
            return (
              <li key={id} className="flex gap-3 border-b border-line py-3 last:border-b-0">
                <Avatar name={personName(lead)} src={lead?.pictureUrl} size="sm" />
                <div className="grid min-w-0 flex-1 gap-1">
                  <p className="flex items-baseline justify-between gap-x-2">
                    <span className="flex min-w-0 flex-wrap gap-x-2">
                      <LeadName lead={lead} />
                    </span>
                    {reply && <DateTime value={reply.at} className="shrink-0 text-xs text-muted" />}
                  </p>
                  {mayRead && lead && (
                    <Link
                      to={`${paths.inbox}?q=${encodeURIComponent(lead.twitterHandle)}`}
                      title="Open in the inbox"
                      className="line-clamp-3 rounded-sm wrap-anywhere hover:underline"
                    >
                      {reply?.text ? <bdi>{reply.text}</bdi> : <span className="text-muted">Open in the inbox</span>}
                    </Link>
                  )}
                  {label && (
                    <p className="text-xs">
                      <LabelName label={label} />
                    </p>
                  )}
                </div>
              </li>
            )
          })}
        </ul>
      )}
      {areTextsMissing && (
        <p className="text-muted">
          Their texts aren't stored.{' '}
          <Link to={paths.xAutomation} className="text-link">
            Change that
          </Link>
        </p>
      )}
      {total !== undefined && total > visibleCount && (
        <Button size="sm" className="w-fit" loading={dms.isFetchingNextPage} onClick={showMore}>
          Show more
        </Button>
      )}
    </section>
  )
}
