import { useQuery } from '@tanstack/react-query'
import { formatNumber, formatPercent } from '@x-automated/contract/format'
import type { List } from '@x-automated/contract/leads/lists'
import { ListFilter, Pencil, Rocket, Trash2 } from 'lucide-react'
import { generatePath, Link } from 'react-router'
import { api } from '../../../api'
import { paths } from '../../../paths'
import { Badge, StatusBadge } from '../../../ui/badge'
import { Button, ButtonLink, IconButton } from '../../../ui/button'
import { DateTime } from '../../../ui/date-time'
import { Progress } from '../../../ui/progress'
import { SkeletonLine } from '../../../ui/skeleton'
import { Tooltip } from '../../../ui/tooltip'
import { useIsOffered } from '../../identity/people/use-role'
import { startCampaignPath } from './start-campaign'
import { useRemoveList } from './use-remove-list'

interface ListCardProps {
  list: List
  onView: () => void
  /** Adds leads, or edits the filter. */
  onManage: () => void
}

/** A list with its tags, the progress of its messages, and the next step. */
export function ListCard({ list, onView, onManage }: ListCardProps) {
  const removal = useRemoveList('campaign')
  const id = `card-${list.id}`
  const mayWrite = useIsOffered('member')
  const isUsed = list.campaignCount > 0
  const manage = list.filter ? 'Edit filter' : 'Manage Leads'
  const campaigns = useQuery(
    api.campaigns.list.queryOptions({ input: { leadListId: list.id, pageSize: 1 }, enabled: isUsed }),
  )
  const latest = campaigns.data?.campaigns[0]
  // Wait for the campaign, because it may change the step.
  const step = isUsed && !latest ? null : nextStepOf(list, latest)
  return (
    <li className="flex min-w-0 flex-col gap-4 rounded-lg border border-line bg-surface p-5">
      <div className="grid gap-1">
        <div className="flex items-start justify-between gap-2">
          <h2 id={id} className="min-w-0 text-base">
            <Link
              to={generatePath(paths.list, { listId: list.id })}
              className="rounded-sm wrap-anywhere underline-offset-4 hover:underline"
            >
              <bdi>{list.name}</bdi>
            </Link>
          </h2>
          {mayWrite && (
            <span className="-me-1.5 -mt-1 flex">
              <Tooltip text={manage}>
                <IconButton icon={<Pencil />} size="sm" label={manage} aria-describedby={id} onClick={onManage} />
              </Tooltip>
              <Tooltip text="Delete">
                <IconButton
                  icon={<Trash2 />}
                  size="sm"
                  label="Delete"
                  aria-describedby={id}
                  loading={removal.isPending}
                  onClick={() => removal.run(list)}
                />
              </Tooltip>
            </span>
          )}
        </div>
        {list.description && (
          <p className="line-clamp-2 text-muted wrap-anywhere" title={list.description}>
            <bdi>{list.description}</bdi>
          </p>
        )}
        <p className="text-xs text-muted">
          Created <DateTime value={list.createdAt} precision="day" />
        </p>
      </div>
      {(list.tags.length > 0 || list.filter) && (
        <ul aria-label="Tags" className="flex flex-wrap gap-1.5">
          {list.filter && (
            <li>
              <Badge icon={<ListFilter />}>Smart</Badge>
            </li>
          )}
          {list.tags.map((tag) => (
            <li key={tag} className="max-w-full">
              <Badge>
                <bdi className="truncate">{tag}</bdi>
              </Badge>
            </li>
          ))}
        </ul>
      )}
      <Progress
        label="Messaged"
        value={list.contactedCount}
        max={Math.max(1, list.leadCount)}
        detail={`${formatNumber(list.contactedCount)} of ${formatNumber(list.leadCount)}`}
      />
      <dl className="grid grid-cols-3 gap-2" data-numeric>
        <Figure name="Leads" value={list.leadCount} />
        <Figure name="Sent" value={list.sentCount} />
        <Figure
          name="Replies"
          value={list.replyCount}
          share={list.sentCount > 0 ? formatPercent(list.replyCount / list.sentCount, 1) : undefined}
        />
      </dl>
      <div className="mt-auto grid gap-3">
        <div className="flex min-h-5 min-w-0 items-center gap-3 text-muted">
          {latest ? (
            <>
              <Link
                to={generatePath(paths.campaign, { campaignId: latest.id })}
                className="min-w-0 flex-1 truncate rounded-sm text-ink underline-offset-4 hover:underline"
              >
                <bdi className="block w-fit max-w-full truncate">{latest.name}</bdi>
              </Link>
              <StatusBadge status={latest.status} />
            </>
          ) : isUsed && campaigns.isPending ? (
            <SkeletonLine className="w-40" />
          ) : (
            !isUsed && 'No campaign uses this list yet.'
          )}
        </div>
        <div className="flex flex-wrap gap-2 *:flex-1">
          <Button size="sm" aria-describedby={id} onClick={onView}>
            View Leads
          </Button>
          {step === 'open' && latest ? (
            <ButtonLink size="sm" aria-describedby={id} to={generatePath(paths.campaign, { campaignId: latest.id })}>
              Open campaign
            </ButtonLink>
          ) : (
            mayWrite &&
            (step === 'fill' ? (
              <Button size="sm" aria-describedby={id} onClick={onManage}>
                {list.filter ? 'Edit filter' : 'Add leads'}
              </Button>
            ) : (
              step === 'start' && (
                <ButtonLink size="sm" icon={<Rocket />} aria-describedby={id} to={startCampaignPath(list)}>
                  Start campaign
                </ButtonLink>
              )
            ))
          )}
        </div>
      </div>
    </li>
  )
}

function Figure({ name, value, share }: { name: string; value: number; share?: string | undefined }) {
  return (
    <div className="flex flex-col-reverse">
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="flex flex-wrap items-baseline gap-x-1.5">
        <span className="text-2xl font-strong">{formatNumber(value)}</span>
        {share && <span className="text-xs text-muted">{share}</span>}
      </dd>
    </div>
  )
}

/** What to do next with a list: fill it, start a campaign, or open the latest one. */
type ListNextStep = 'fill' | 'start' | 'open'

/** A list's next step. @param latest its latest campaign, if any */
export function nextStepOf(
  list: Pick<List, 'leadCount' | 'contactedCount'>,
  latest: { status: string } | undefined,
): ListNextStep {
  if (latest && (latest.status === 'draft' || latest.status === 'active' || latest.status === 'paused')) return 'open'
  if (list.leadCount === 0) return 'fill'
  return latest && list.contactedCount >= list.leadCount ? 'open' : 'start'
}
