import { useQuery } from '@tanstack/react-query'
import { formatCount, formatNumber, pluralize } from '@x-automated/contract/format'
import type { LeadQuery } from '@x-automated/contract/leads/leads'
import { ChevronLeft, ChevronRight, Search } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { api } from '../../../api'
import { Avatar } from '../../../ui/avatar'
import { IconButton } from '../../../ui/button'
import { Input } from '../../../ui/input'
import { Skeleton, SkeletonLine } from '../../../ui/skeleton'
import { useHasRole } from '../../identity/people/use-role'
import { useAccounts } from '../../platform/x-account/use-accounts'
import { usesOpener } from '../writer/opener-variable'
import { exampleLead, type Piece, previewOf, type Recipient } from './message-template'
import { usePreviewLeads } from './preview-leads'

/** One message of the previewed conversation. */
export interface PreviewedMessage {
  key: string
  template: string
  /** '3 days later, if no reply'. Null for the first message. */
  when: string | null
}

interface MessagePreviewProps {
  messages: readonly PreviewedMessage[]
  /** '' if no list is chosen. */
  listId: string
  /** If set, previews these leads instead of a list's. */
  filter?: LeadQuery
  /** The sending account. Null means the one that is current at launch. */
  xAccountId: string | null
  /** A saved campaign, whose approved openers the preview contains. */
  campaignId?: string
}

/** The conversation as it appears on these leads' phones. */
export function MessagePreview({ messages, listId, filter, xAccountId, campaignId = '' }: MessagePreviewProps) {
  const leads = usePreviewLeads(listId, filter)
  const isMember = useHasRole('member')
  const hasOpener = messages.some(({ template }) => usesOpener(template))
  const approved = useQuery(
    api.openers.list.queryOptions({
      input: { id: campaignId, leadId: leads.lead?.id ?? '', status: 'approved', pageSize: 1 },
      enabled: campaignId !== '' && leads.lead !== null && hasOpener && isMember === true,
    }),
  )
  if (leads.isLoading) return <PreviewSkeleton />
  const person = leads.lead ?? { ...exampleLead, pictureUrl: null }
  const lead = { ...person, opener: approved.data?.openers[0]?.text ?? null }
  const written = messages.filter(({ template }) => template.trim() !== '')
  const fallback = written
    .flatMap(({ template }) => previewOf(template, person))
    .find(({ kind }) => kind === 'opener')?.text
  const pieces = written.flatMap(({ template }) => previewOf(template, lead))
  const missing = pieces.filter(({ kind }) => kind === 'missing').length
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
          // Otherwise, Enter would submit the surrounding form.
          onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
        />
      )}
      {leads.hasNoMatch ? (
        <p className="text-muted">No matching leads.</p>
      ) : (
        <>
          <LeadPhone messages={written} lead={lead} isExample={!leads.lead} xAccountId={xAccountId} />
          {missing > 0 && (
            <p className="text-center text-xs text-warn">
              {formatCount(missing, 'value')} {pluralize(missing, 'is', 'are')} missing for this lead. Fallbacks are
              underlined.
            </p>
          )}
          {lead.opener !== null && fallback !== undefined && (
            <p className="text-center text-xs text-muted">
              This opener is approved. Without approval, “{fallback}” is sent.
            </p>
          )}
          {pieces.some(({ kind }) => kind === 'opener') && (
            <p className="text-center text-xs text-muted">
              An opener that you approve replaces its underlined fallback.
            </p>
          )}
        </>
      )}
    </Frame>
  )
}

interface ConversationProps {
  messages: readonly PreviewedMessage[]
  lead: Recipient
  xAccountId: string | null
}

interface LeadPhoneProps extends ConversationProps {
  lead: Recipient & { pictureUrl: string | null }
  isExample: boolean
}

/** A lead's phone, displaying our messages. */
export function LeadPhone({ isExample, ...conversation }: LeadPhoneProps) {
  const { lead } = conversation
  return (
    <Phone
      owner={
        <>
          <Avatar name={lead.name || lead.twitterHandle} src={lead.pictureUrl} size="sm" />
          <p className="grid min-w-0 flex-1 text-xs">
            <bdi className="truncate font-strong">As {lead.name || `@${lead.twitterHandle}`} sees it</bdi>
            <span className="truncate text-muted">
              @{lead.twitterHandle} {isExample && '· an example'}
            </span>
          </p>
        </>
      }
    >
      <Conversation {...conversation} />
    </Phone>
  )
}

/** Our messages and the delays between them. Scrolls to the message being written. */
function Conversation({ messages, lead, xAccountId }: ConversationProps) {
  const accounts = useAccounts().data?.accounts
  const sender = accounts?.find(({ id }) => id === xAccountId) ?? accounts?.[0]
  const container = useChangeInView(messages)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset belongs in a form
    <div
      ref={container}
      role="group"
      aria-label="Conversation"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
      tabIndex={0}
      className="relative flex h-100 flex-col gap-2 overflow-y-auto p-3"
    >
      <div className="my-auto grid justify-items-center gap-2 py-4">
        <Avatar name={sender?.handle ?? 'You'} src={sender?.pictureUrl} size="lg" />
        <p className="max-w-full truncate font-strong">{sender ? `@${sender.handle}` : 'You'}</p>
      </div>
      {messages.length === 0 && (
        <p className="rounded-lg border border-line border-dashed px-4 py-3 text-center text-muted">
          Preview your message as this lead will see it.
        </p>
      )}
      {messages.map(({ key, template, when }) => (
        <div key={key} data-message={key} className="grid justify-items-start gap-2">
          {when !== null && <p className="w-full pt-1 text-center text-xs text-muted">{when}</p>}
          <p
            dir="auto"
            className="max-w-[88%] rounded-xl rounded-es-sm bg-hover px-3 py-2 whitespace-pre-wrap wrap-anywhere"
          >
            <Pieces pieces={previewOf(template, lead)} />
          </p>
        </div>
      ))}
    </div>
  )
}

/** Scrolls an element to the message that changed last. */
function useChangeInView(messages: readonly PreviewedMessage[]) {
  const scroller = useRef<HTMLDivElement>(null)
  const texts = messages.map(({ key, template }) => `${key} ${template}`)
  const before = useRef(texts)
  useEffect(() => {
    const changed = texts.findIndex((text) => !before.current.includes(text))
    before.current = texts
    const message = scroller.current?.querySelectorAll<HTMLElement>('[data-message]')[changed]
    if (message)
      scroller.current?.scrollTo({ top: message.offsetTop + message.offsetHeight - scroller.current.clientHeight + 12 })
  })
  return scroller
}

/** A phone with a conversation on X. @param owner the phone's owner */
function Phone({ owner, children }: { owner: ReactNode; children: ReactNode }) {
  return (
    <div className="mx-auto w-full max-w-72 rounded-phone bg-phone p-2 shadow-md">
      <div className="grid overflow-clip rounded-screen bg-surface">
        <div className="flex items-center gap-3 border-b border-hair px-4 py-3">{owner}</div>
        {children}
        <p aria-hidden className="mx-3 mb-3 rounded-full bg-hover px-4 py-2 text-xs text-muted">
          Start a message
        </p>
      </div>
    </div>
  )
}

function Frame({ turn, children }: { turn?: ReactNode; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset belongs in a form
    <div role="group" aria-label="Preview" className="grid grid-cols-1 content-start gap-3">
      <header className="flex min-h-8 items-center justify-between gap-3">
        <h3 className="font-strong">Preview</h3>
        {turn}
      </header>
      {children}
    </div>
  )
}

/** A skeleton as large as the preview for a list with several leads. */
export function PreviewSkeleton() {
  return (
    <Frame>
      <Skeleton className="h-9 pointer-coarse:h-11" />
      <Phone
        owner={
          <>
            <Skeleton className="size-7 shrink-0 rounded-full!" />
            <SkeletonLine className="w-32" />
          </>
        }
      >
        <div className="h-100" />
      </Phone>
    </Frame>
  )
}

const marks = {
  filled: { title: undefined, className: 'rounded-sm bg-accent-mark px-0.5 text-ink' },
  missing: {
    title: 'This lead has no value, so the fallback is used',
    className: 'rounded-sm bg-warn/10 px-0.5 text-warn underline decoration-dotted underline-offset-4',
  },
  opener: {
    title: 'The fallback of the AI opener',
    className: 'rounded-sm bg-accent-mark px-0.5 text-ink underline decoration-dotted underline-offset-4',
  },
  unknown: {
    title: 'Unknown variable',
    className: 'rounded-sm bg-bad/10 px-0.5 text-bad underline decoration-wavy underline-offset-4',
  },
}

/** A message with its filled, missing and unknown variables highlighted. */
function Pieces({ pieces }: { pieces: readonly Piece[] }) {
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
