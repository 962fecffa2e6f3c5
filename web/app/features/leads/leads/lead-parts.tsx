import { formatNumber } from '@x-automated/contract/format'
import type { Lead } from '@x-automated/contract/leads/leads'
import { Ban } from 'lucide-react'
import type { ReactNode } from 'react'
import { Avatar } from '../../../ui/avatar'
import { Badge } from '../../../ui/badge'
import { cn } from '../../../ui/cn'
import { shorten } from '../../../ui/shorten'
import { XHandle } from '../../platform/x-account/x-handle'
import { SampleBadge } from './sample-badge'

const BIO_MAX = 100

interface LeadIdentityProps {
  lead: Pick<Lead, 'name' | 'twitterHandle' | 'pictureUrl' | 'isSample'>
  /** If set, the name is a button. */
  onOpen?: () => void
  /** Shown after the name. */
  children?: ReactNode
}

/** Picture, name and handle. */
export function LeadIdentity({ lead, onOpen, children }: LeadIdentityProps) {
  const name = <bdi className="block truncate">{lead.name || lead.twitterHandle}</bdi>
  const nameClass = 'w-fit max-w-full truncate font-strong'
  return (
    <span className="flex min-w-0 items-center gap-3">
      {/* At 320 px, the name needs the full width. */}
      <span className="contents max-[22rem]:hidden">
        <Avatar name={lead.name || lead.twitterHandle} src={lead.pictureUrl} size="sm" />
      </span>
      <span className="grid min-w-0">
        {/* On phones, anything that does not fit next to the name wraps to a second line, which is hidden. */}
        <span className="flex min-w-0 items-center gap-x-2 gap-y-1 max-md:h-5.5 max-md:flex-wrap max-md:content-start max-md:overflow-hidden">
          {onOpen ? (
            <button
              type="button"
              data-opens
              onClick={onOpen}
              className={`${nameClass} rounded-sm text-start underline-offset-[0.2em] hover:underline max-md:-outline-offset-2`}
            >
              {name}
            </button>
          ) : (
            <span className={nameClass}>{name}</span>
          )}
          {lead.isSample && <SampleBadge />}
          {children}
        </span>
        <XHandle handle={lead.twitterHandle} className="w-fit max-w-full truncate text-muted" />
      </span>
    </span>
  )
}

/** The first 100 characters of a bio. The tooltip shows the full text. */
export function LeadBio({ bio }: Pick<Lead, 'bio'>) {
  const text = bio?.trim()
  if (!text) return <span className="text-faint">No bio available</span>
  const short = shorten(text, BIO_MAX)
  return (
    <bdi title={short === text ? undefined : text} className="wrap-anywhere">
      {short}
    </bdi>
  )
}

export function SuppressedBadge() {
  return (
    <Badge tone="warn" icon={<Ban />}>
      Suppressed
    </Badge>
  )
}

/** The number of followers, or 'Unknown' if neither X nor an import provided it. */
export function LeadFollowers({ followerCount }: Pick<Lead, 'followerCount'>) {
  if (followerCount === null) return <span className="text-faint">Unknown</span>
  return <span data-numeric>{formatNumber(followerCount)}</span>
}

/** Names and values of a lead, without those that are empty. */
export function FactList({ facts, className }: { facts: readonly [string, ReactNode][]; className: string }) {
  return (
    <dl className={cn('grid grid-cols-[5.5rem_minmax(0,1fr)]', className)} data-numeric>
      {facts.map(
        ([name, value]) =>
          value && (
            <div key={name} className="contents">
              <dt className="truncate text-muted" title={name}>
                {name}
              </dt>
              <dd className="wrap-anywhere">{value}</dd>
            </div>
          ),
      )}
    </dl>
  )
}
