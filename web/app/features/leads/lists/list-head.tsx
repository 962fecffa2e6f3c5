import { useQuery } from '@tanstack/react-query'
import { formatNumber } from '@x-automated/contract/format'
import type { List } from '@x-automated/contract/leads/lists'
import { ListFilter } from 'lucide-react'
import { generatePath, Link } from 'react-router'
import { api } from '../../../api'
import { paths } from '../../../paths'
import { Badge } from '../../../ui/badge'
import { Skeleton } from '../../../ui/skeleton'
import { useTagsToPick } from '../leads/tag-badge'
import { filterTexts } from './filter-text'

const CAMPAIGNS_SHOWN = 3

/** A list's figures, its filter and its campaigns. @param list undefined while it loads */
export function ListHead({ list }: { list: List | undefined }) {
  return (
    <div className="grid gap-4">
      <dl className="flex flex-wrap gap-x-10 gap-y-3">
        <Figure name="People" value={list?.leadCount} />
        <Figure name="Contacted" value={list?.contactedCount} />
        <Figure name="Pending" value={list && Math.max(0, list.leadCount - list.contactedCount)} />
        <Figure name="Replies" value={list?.replyCount} />
      </dl>
      <div className="grid min-h-5 gap-2">
        {list?.filter && <Criteria filter={list.filter} />}
        {list && <UsedBy list={list} />}
      </div>
    </div>
  )
}

function Figure({ name, value }: { name: string; value: number | undefined }) {
  return (
    <div className="flex flex-col-reverse">
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="text-2xl font-strong" data-numeric>
        {value === undefined ? <Skeleton className="my-1 h-6 w-12" /> : formatNumber(value)}
      </dd>
    </div>
  )
}

function Criteria({ filter }: { filter: NonNullable<List['filter']> }) {
  const tags = useTagsToPick().data?.tags ?? []
  const texts = filterTexts(filter, tags)
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      <Badge icon={<ListFilter />}>Smart</Badge>
      <ul aria-label="Filter" className="contents">
        {(texts.length > 0 ? texts : ['Everyone']).map((text) => (
          <li key={text} className="max-w-full">
            <Badge>
              <bdi className="truncate">{text}</bdi>
            </Badge>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** The latest campaigns of the list. */
function UsedBy({ list: { id, campaignCount } }: { list: List }) {
  const campaigns = useQuery(
    api.campaigns.list.queryOptions({
      input: { leadListId: id, pageSize: CAMPAIGNS_SHOWN },
      enabled: campaignCount > 0,
    }),
  )
  const visible = campaigns.data?.campaigns ?? []
  if (campaignCount === 0) return <p className="text-muted">No campaign uses this list yet.</p>
  const others = campaignCount - visible.length
  return (
    <p className="flex min-h-5 min-w-0 flex-wrap gap-x-1 text-muted">
      Used by{' '}
      {visible.map(({ id: campaignId, name }, index) => (
        <span key={campaignId} className="max-w-full truncate">
          <Link
            to={generatePath(paths.campaign, { campaignId })}
            className="text-ink underline decoration-line underline-offset-4 hover:decoration-current"
          >
            <bdi>{name}</bdi>
          </Link>
          {index < visible.length - 1 && ','}
        </span>
      ))}
      {visible.length > 0 && others > 0 && `and ${formatNumber(others)} more`}
    </p>
  )
}
