import { useQuery } from '@tanstack/react-query'
import type { Tag, TagColor } from '@x-automated/contract/leads/tags'
import { Tag as TagSign } from 'lucide-react'
import { api } from '../../../api'
import { cn } from '../../../ui/cn'

const classes: Record<TagColor, string> = {
  gray: 'border-tag-gray/25 bg-tag-gray/8 text-tag-gray',
  red: 'border-tag-red/25 bg-tag-red/8 text-tag-red',
  amber: 'border-tag-amber/25 bg-tag-amber/8 text-tag-amber',
  green: 'border-tag-green/25 bg-tag-green/8 text-tag-green',
  teal: 'border-tag-teal/25 bg-tag-teal/8 text-tag-teal',
  blue: 'border-tag-blue/25 bg-tag-blue/8 text-tag-blue',
  violet: 'border-tag-violet/25 bg-tag-violet/8 text-tag-violet',
  pink: 'border-tag-pink/25 bg-tag-pink/8 text-tag-pink',
}

export const tagColorLabels: Record<TagColor, string> = {
  gray: 'Gray',
  red: 'Red',
  amber: 'Amber',
  green: 'Green',
  teal: 'Teal',
  blue: 'Blue',
  violet: 'Violet',
  pink: 'Pink',
}

export function TagBadge({ tag: { name, color } }: { tag: Pick<Tag, 'name' | 'color'> }) {
  return (
    <span
      className={cn(
        'inline-flex h-5 min-w-0 max-w-40 items-center gap-1 rounded-sm border px-1.5 text-2xs font-strong',
        classes[color],
      )}
    >
      <TagSign className="size-3 shrink-0" />
      <bdi className="truncate">{name}</bdi>
    </span>
  )
}

/** The workspace's tags, at most 100. */
function useTags() {
  return useQuery(api.tags.list.queryOptions())
}

/** Tags for a dialog, refetched whenever it opens, because teammates may have added some. */
export function useTagsToPick() {
  return useQuery(api.tags.list.queryOptions({ staleTime: 0 }))
}

interface TagBadgesProps {
  ids: readonly string[]
  /** Maximum number of badges, to fit one line. The rest is shown as a number. */
  max?: number
}

/** Badges for the tags with these ids. Unknown ids are ignored. */
export function TagBadges({ ids, max }: TagBadgesProps) {
  const tags = useTags().data?.tags
  const all = ids.flatMap((id) => tags?.find((tag) => tag.id === id) ?? [])
  const visible = all.slice(0, max)
  const hidden = all.slice(visible.length)
  if (visible.length === 0) return null
  return (
    <span className={cn('flex min-w-0 gap-1', max === undefined && 'flex-wrap')}>
      {visible.map((tag) => (
        <TagBadge key={tag.id} tag={tag} />
      ))}
      {hidden.length > 0 && (
        <span className="shrink-0 text-xs text-muted" title={hidden.map(({ name }) => name).join(', ')}>
          +{hidden.length}
          <span className="sr-only"> more tags</span>
        </span>
      )}
    </span>
  )
}
