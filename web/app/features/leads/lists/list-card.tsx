import { formatNumber } from '@x-automated/contract/format'
import type { List } from '@x-automated/contract/leads/lists'
import { ListFilter, Trash2 } from 'lucide-react'
import { generatePath, Link } from 'react-router'
import { paths } from '../../../paths'
import { Badge } from '../../../ui/badge'
import { Button, IconButton } from '../../../ui/button'
import { DateTime } from '../../../ui/date-time'
import { Tooltip } from '../../../ui/tooltip'
import { useIsOffered } from '../../identity/people/use-role'
import { useRemoveList } from './use-remove-list'

/** One list with its tags and numbers. */
export function ListCard({ list, onView }: { list: List; onView: () => void }) {
  const removal = useRemoveList('campaign')
  const id = `card-${list.id}`
  const mayWrite = useIsOffered('member')
  return (
    <li className="flex min-w-0 flex-col gap-3 rounded-lg border border-line bg-surface p-4">
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
        )}
      </div>
      {list.description && (
        <p className="line-clamp-2 text-muted wrap-anywhere" title={list.description}>
          <bdi>{list.description}</bdi>
        </p>
      )}
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
      <dl className="grid grid-cols-3 gap-2" data-numeric>
        <Figure name="Leads" value={list.leadCount} />
        <Figure name="Sent" value={list.sentCount} />
        <Figure name="Replies" value={list.replyCount} />
      </dl>
      <div className="mt-auto flex flex-wrap items-center justify-between gap-2 border-t border-line pt-3">
        <span className="text-muted">
          Created <DateTime value={list.createdAt} precision="day" />
        </span>
        <Button size="sm" aria-describedby={id} onClick={onView}>
          View Leads
        </Button>
      </div>
    </li>
  )
}

function Figure({ name, value }: { name: string; value: number }) {
  return (
    <div className="grid">
      <dt className="text-muted">{name}</dt>
      <dd className="text-lg font-strong">{formatNumber(value)}</dd>
    </div>
  )
}
