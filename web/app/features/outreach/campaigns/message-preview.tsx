import { formatCount, formatNumber, pluralize } from '@x-automated/contract/format'
import { ChevronLeft, ChevronRight, Search } from 'lucide-react'
import type { ReactNode } from 'react'
import { Avatar } from '../../../ui/avatar'
import { IconButton } from '../../../ui/button'
import { cn } from '../../../ui/cn'
import { Input } from '../../../ui/input'
import { Skeleton, SkeletonLine } from '../../../ui/skeleton'
import { profilePictureUrl } from '../../leads/leads/lead-picture'
import { exampleLead, type Piece, previewOf } from './message-template'
import { usePreviewLeads } from './preview-leads'

/** A message of a conversation. */
export interface PreviewedMessage {
  key: string
  template: string
  /** '3 days later, if no reply'; null for the first. */
  when: string | null
}

/** Previews the messages as any lead of the list sees them. @param listId '' without a list */
export function MessagePreview({ messages, listId }: { messages: readonly PreviewedMessage[]; listId: string }) {
  const leads = usePreviewLeads(listId)
  if (leads.isLoading) return <PreviewSkeleton template={messages[0]?.template ?? ''} />
  const lead = leads.lead ?? { ...exampleLead, profileImageUrl: null }
  const written = messages.filter(({ template }) => template.trim() !== '')
  const missing = written
    .flatMap(({ template }) => previewOf(template, lead))
    .filter(({ kind }) => kind === 'missing').length
  return (
    <Frame
      turn={
        leads.total > 1 && (
          <div className="-me-1 flex items-center gap-1">
            <span className="text-muted" data-numeric aria-live="polite">
              {formatNumber(leads.index + 1)} of {formatNumber(leads.total)}
            </span>
            <IconButton icon={<ChevronLeft />} size="sm" label="Previous lead" onClick={() => leads.move(-1)} />
            <IconButton icon={<ChevronRight />} size="sm" label="Next lead" onClick={() => leads.move(1)} />
          </div>
        )
      }
    >
      {(leads.total > 1 || leads.search !== '') && (
        <Input
          type="search"
          aria-label="Find a lead to preview"
          placeholder="Find a lead"
          autoComplete="off"
          leading={<Search />}
          value={leads.search}
          onChange={(event) => leads.find(event.currentTarget.value)}
          // Enter would submit the surrounding form.
          onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
        />
      )}
      {leads.hasNoMatch ? (
        <p className="text-muted">No matching lead on this list.</p>
      ) : (
        <>
          <div className="flex items-center gap-3">
            <Avatar name={lead.name || lead.twitterHandle} src={profilePictureUrl(lead)} size="sm" />
            <p className="grid min-w-0 flex-1">
              <bdi className="w-fit max-w-full truncate">{lead.name || `@${lead.twitterHandle}`}</bdi>
              <span className="truncate text-xs text-muted">
                @{lead.twitterHandle} {!leads.lead && '· an example'}
              </span>
            </p>
          </div>
          {written.length === 0 && (
            <p className="rounded-lg border border-line border-dashed px-4 py-3 text-muted">
              Preview your message as this lead will see it.
            </p>
          )}
          {written.map(({ key, template, when }) => (
            <div key={key} className="grid gap-2">
              {when !== null && <p className="text-center text-xs text-muted">{when}</p>}
              <p className={cn(MESSAGE, 'bg-surface')}>
                <Pieces pieces={previewOf(template, lead)} />
              </p>
            </div>
          ))}
          {missing > 0 && (
            <p className="text-xs text-warn">
              {formatCount(missing, 'value')} {pluralize(missing, 'is', 'are')} missing for this lead. Fallbacks are
              underlined.
            </p>
          )}
        </>
      )}
    </Frame>
  )
}

const MESSAGE =
  'max-h-72 overflow-y-auto rounded-lg rounded-es-sm border border-line px-4 py-3 whitespace-pre-wrap wrap-anywhere'

function Frame({ turn, children }: { turn?: ReactNode; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset belongs in a form
    <div
      role="group"
      aria-label="Preview"
      className="grid content-start gap-3 rounded-lg border border-line bg-sunken p-4"
    >
      <header className="flex min-h-8 items-center justify-between gap-3">
        <h3 className="font-strong">Preview</h3>
        {turn}
      </header>
      {children}
    </div>
  )
}

/** Sized like the preview of a list with several leads. */
function PreviewSkeleton({ template }: { template: string }) {
  return (
    <Frame>
      <Skeleton className="h-9 pointer-coarse:h-11" />
      <span className="flex h-9 items-center gap-3">
        <Skeleton className="size-7 shrink-0 rounded-full!" />
        <SkeletonLine className="w-32" />
      </span>
      <div aria-hidden className={cn(MESSAGE, 'animate-appear')}>
        <span className="invisible">
          <Pieces pieces={previewOf(template, exampleLead)} />
        </span>
      </div>
    </Frame>
  )
}

const marks = {
  filled: { title: undefined, className: 'rounded-sm bg-accent-soft px-0.5 text-ink' },
  missing: {
    title: 'This lead has no value, so the fallback is used',
    className: 'rounded-sm bg-warn/10 px-0.5 text-warn underline decoration-dotted underline-offset-4',
  },
  unknown: {
    title: 'Unknown variable',
    className: 'rounded-sm bg-bad/10 px-0.5 text-bad underline decoration-wavy underline-offset-4',
  },
}

/** A message with its filled, missing and unknown variables highlighted. */
export function Pieces({ pieces }: { pieces: readonly Piece[] }) {
  return pieces.map(({ kind, text }, index) =>
    kind === 'text' ? (
      text
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no other identity
      <mark key={index} {...marks[kind]}>
        {text}
      </mark>
    ),
  )
}
