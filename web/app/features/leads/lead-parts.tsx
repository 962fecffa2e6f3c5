import type { Lead } from '@x-automated/contract/leads'
import { Avatar } from '../../ui/avatar'
import { shorten } from '../../ui/shorten'
import { XHandle } from '../x-account/x-handle'
import { pictureOf } from './lead-picture'

/** Characters of a bio in a list (specification §9). */
const BIO_SHOWN = 100

/** Picture, name and handle. */
export function LeadIdentity({ lead }: { lead: Lead }) {
  return (
    <span className="flex min-w-0 items-center gap-3">
      <Avatar name={lead.name || lead.twitterHandle} src={pictureOf(lead)} size="sm" />
      <span className="grid min-w-0">
        <bdi className="w-fit max-w-full truncate font-strong">{lead.name || lead.twitterHandle}</bdi>
        <XHandle handle={lead.twitterHandle} className="w-fit max-w-full truncate text-muted" />
      </span>
    </span>
  )
}

/** The first 100 characters, whole on hover. */
export function LeadBio({ bio }: Pick<Lead, 'bio'>) {
  const text = bio?.trim()
  if (!text) return <span className="text-faint">No bio available</span>
  const short = shorten(text, BIO_SHOWN)
  return (
    <bdi title={short === text ? undefined : text} className="wrap-anywhere">
      {short}
    </bdi>
  )
}

/** How many follow them. */
export function LeadFollowers({ followerCount }: Pick<Lead, 'followerCount'>) {
  if (followerCount === null) return <span className="text-faint">Unknown</span>
  return <span data-numeric>{followerCount.toLocaleString('en-US')}</span>
}
