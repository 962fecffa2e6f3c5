import { useQuery } from '@tanstack/react-query'
import { formatNumber } from '@x-automated/contract/format'
import type { ReplyLabel } from '@x-automated/contract/leads/leads'
import { Link } from 'react-router'
import { api } from '../../../api'
import { paths } from '../../../paths'
import { QueryError } from '../../../query-error'
import { Avatar } from '../../../ui/avatar'
import { Button } from '../../../ui/button'
import { cn } from '../../../ui/cn'
import { DateTime } from '../../../ui/date-time'
import { SkeletonText } from '../../../ui/skeleton'
import { LABEL_NAMES } from '../../leads/leads/history-text'
import { personName } from './enrollment-text'
import { LeadName } from './lead-name'
import type { PeopleFilter } from './people-sheet'

const SHOWN = 5
/** The server lists replies in the order in which their messages were queued. */
const READ = 100

const labelColors: Record<ReplyLabel, string> = {
  interested: 'text-good',
  meeting: 'text-good',
  question: 'text-info',
  later: 'text-warn',
  referral: 'text-info',
  not_interested: 'text-muted',
  auto_reply: 'text-muted',
  opted_out: 'text-bad',
}

interface RepliesSectionProps {
  campaignId: string
  pollEveryMs: number | false
  onShow: (filter: PeopleFilter) => void
}

/** The latest replies to a campaign. */
export function RepliesSection({ campaignId, pollEveryMs, onShow }: RepliesSectionProps) {
  const dms = useQuery(
    api.campaigns.dms.queryOptions({
      input: { id: campaignId, status: 'replied', pageSize: READ },
      refetchInterval: pollEveryMs,
    }),
  )
  const latest = dms.data?.dms.toSorted((a, b) => (b.reply?.at ?? '').localeCompare(a.reply?.at ?? '')).slice(0, SHOWN)
  return (
    <section className="grid content-start gap-3">
      <div className="flex min-h-8 items-center justify-between gap-4">
        <h2 className="text-base">
          Replies{' '}
          {dms.data && (
            <span className="font-normal text-muted" data-numeric>
              {formatNumber(dms.data.total)}
            </span>
          )}
        </h2>
        {dms.data && dms.data.total > SHOWN && (
          <Button size="sm" variant="ghost" onClick={() => onShow({ title: 'Replied', outcome: 'replied' })}>
            Show all
          </Button>
        )}
      </div>
      {dms.isError && !dms.data ? (
        <QueryError query={dms} />
      ) : !dms.data || !latest ? (
        <SkeletonText lines={4} />
      ) : dms.data.total === 0 ? (
        <p className="text-muted">Nobody has replied yet. A reply stops the follow-ups of that person.</p>
      ) : (
        <ul className="grid">
          {latest.map(({ id, lead, reply }) => {
            const label = reply?.label
            return (
              <li key={id} className="flex gap-3 border-b border-line py-3 last:border-b-0">
                <Avatar name={personName(lead)} size="sm" />
                <div className="grid min-w-0 flex-1 gap-1">
                  <p className="flex flex-wrap items-baseline gap-x-2">
                    <LeadName lead={lead} />
                    {reply && <DateTime value={reply.at} className="ms-auto text-xs text-muted" />}
                  </p>
                  {reply?.text && lead && (
                    <Link
                      to={`${paths.inbox}?q=${encodeURIComponent(lead.twitterHandle)}`}
                      title="Open in the inbox"
                      className="line-clamp-3 rounded-sm wrap-anywhere hover:underline"
                    >
                      <bdi>{reply.text}</bdi>
                    </Link>
                  )}
                  {label && (
                    <p className={cn('flex items-center gap-1.5 text-xs', labelColors[label])}>
                      <span aria-hidden className="size-2 rounded-full bg-current" />
                      {LABEL_NAMES[label]}
                    </p>
                  )}
                </div>
              </li>
            )
          })}
        </ul>
      )}
    </section>
  )
}
