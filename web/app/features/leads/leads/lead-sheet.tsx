import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { LeadDetail, LeadEvent } from '@x-automated/contract/leads/leads'
import {
  Ban,
  Import,
  ListPlus,
  type LucideIcon,
  MessageSquare,
  MessageSquareReply,
  NotebookPen,
  Pause,
  Pencil,
  PenLine,
  Radar,
  SkipForward,
  Tag as TagSign,
  Trash2,
} from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { api, client, errorText } from '../../../api'
import { QueryError } from '../../../query-error'
import { Avatar } from '../../../ui/avatar'
import { StatusBadge } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Checkbox } from '../../../ui/choice'
import { DateTime } from '../../../ui/date-time'
import { Sheet } from '../../../ui/dialog'
import { Pager } from '../../../ui/pager'
import { SkeletonText } from '../../../ui/skeleton'
import { useDialogs } from '../../../ui/use-dialogs'
import { useAction } from '../../../use-action'
import { useIsOffered } from '../../identity/people/use-role'
import { XHandle } from '../../platform/x-account/x-handle'
import { BasisDialog } from './basis-dialog'
import { LABEL_NAMES, pauseReasonText, skippedText } from './history-text'
import { LeadConversations, useLeadConversations } from './lead-conversations'
import { LeadFollowers } from './lead-parts'
import { basisLabels } from './leads-url'
import { MessagedEvent } from './messaged-event'
import { TagBadge, useTagsToPick } from './tag-badge'
import { NewTag } from './tag-dialog'
import { useTagLeads } from './use-bulk'

const EVENTS_PAGE_SIZE = 20

export interface LeadSheetProps {
  /** Null closes the sheet. */
  id: string | null
  onClose: () => void
  onSuppress: (lead: LeadDetail) => void
  onRemove: (lead: LeadDetail) => void
}

/** A lead's details and history. */
export function LeadSheet({ id, onClose, onSuppress, onRemove }: LeadSheetProps) {
  const basis = useDialogs<string[]>()
  const lead = useQuery(
    api.leads.find.queryOptions({ input: { id: id ?? '' }, enabled: id !== null, placeholderData: keepPreviousData }),
  )
  const known = leadOf(id, lead.data)
  const conversations = useLeadConversations(id ?? known?.id)
  const mayWrite = useIsOffered('member')
  return (
    <Sheet
      open={id !== null}
      onClose={onClose}
      title={known ? known.name || `@${known.twitterHandle}` : 'Lead'}
      description={known && <XHandle handle={known.twitterHandle} />}
      footer={
        known &&
        mayWrite && (
          <>
            {!known.suppressed && (
              <Button size="sm" icon={<Ban />} onClick={() => onSuppress(known)}>
                Suppress
              </Button>
            )}
            <Button size="sm" variant="danger" icon={<Trash2 />} onClick={() => onRemove(known)}>
              Delete lead
            </Button>
          </>
        )
      }
    >
      {lead.isError && !known ? (
        <QueryError query={lead} />
      ) : known ? (
        <div className="grid gap-6">
          {known.suppressed && (
            <Callout tone="warn" title="On your suppression list">
              No one in this workspace can message them. Manage this in Settings → Suppression list.
            </Callout>
          )}
          <LeadConversations conversations={conversations} />
          <Profile lead={known} />
          <Part
            title="Contact basis"
            aside={
              mayWrite && (
                <Button size="sm" variant="ghost" icon={<Pencil />} onClick={() => basis.show([known.id])}>
                  Change
                </Button>
              )
            }
          >
            <p>{basisLabels[known.basis]}</p>
            {known.basisAt && (
              <p className="text-muted">
                Since <DateTime value={known.basisAt} precision="day" />
                {known.basisSource && <> · {known.basisSource}</>}
              </p>
            )}
          </Part>
          <Tags lead={known} />
          <History lead={known} />
          {basis.render((ids, props) => (
            <BasisDialog picked={{ ids }} {...props} />
          ))}
        </div>
      ) : (
        <SkeletonText lines={8} />
      )}
    </Sheet>
  )
}

/** The open lead's data; while the sheet closes, the data it showed. Never another lead's. */
export function leadOf<L extends { id: string }>(id: string | null, data: L | undefined): L | undefined {
  return id === null || data?.id === id ? data : undefined
}

function Part({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <section className="grid gap-2">
      <div className="flex min-h-8 items-center justify-between gap-3">
        <h3 className="font-strong">{title}</h3>
        {aside}
      </div>
      {children}
    </section>
  )
}

function Profile({ lead }: { lead: LeadDetail }) {
  const more = Object.entries(lead.metadata)
  const facts: [string, ReactNode][] = [
    ['Followers', <LeadFollowers key="n" followerCount={lead.followerCount} />],
    ['Following', <LeadFollowers key="f" followerCount={lead.followingCount} />],
    ['Location', lead.location],
    ['Website', lead.website && <SafeLink key="w" href={lead.website} />],
    ['Source', lead.sourceProfile && <XHandle key="s" handle={lead.sourceProfile} />],
    ['Added', <DateTime key="a" value={lead.createdAt} />],
    ...more.map(([name, value]): [string, ReactNode] => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  ]
  return (
    <div className="grid gap-4">
      <div className="flex items-start gap-3">
        <Avatar name={lead.name || lead.twitterHandle} src={lead.pictureUrl} size="lg" />
        <div className="grid min-w-0 gap-2">
          <StatusBadge status={lead.dmStatus} />
          <bdi className="wrap-anywhere text-muted">{lead.bio?.trim() || 'No bio available'}</bdi>
        </div>
      </div>
      <dl className="grid grid-cols-[7rem_minmax(0,1fr)] gap-x-4 gap-y-1.5">
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
    </div>
  )
}

/** A link for http and https URLs only, because the value is untrusted. */
function SafeLink({ href }: { href: string }) {
  if (!/^https?:\/\//i.test(href)) return href
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow" className="underline underline-offset-[0.2em]">
      {href.replace(/^https?:\/\//i, '')}
    </a>
  )
}

/** The tags of a lead, which members can change. */
export function Tags({ lead }: { lead: LeadDetail }) {
  const tags = useTagsToPick().data?.tags ?? []
  const [editing, setEditing] = useState(false)
  const mayWrite = useIsOffered('member')
  const change = useTagLeads()
  // Show the requested change immediately, until the lead is refetched.
  const requested = change.isPending ? change.variables.input : null
  const has = (id: string) =>
    requested?.add.includes(id) || (lead.tagIds.includes(id) && !requested?.remove.includes(id)) || false
  const applied = tags.filter(({ id }) => has(id))
  const set = (id: string, on: boolean) =>
    change.mutate({ picked: { ids: [lead.id] }, input: { add: on ? [id] : [], remove: on ? [] : [id] } })
  return (
    <Part
      title="Tags"
      aside={
        mayWrite && (
          <Button size="sm" variant="ghost" icon={<Pencil />} onClick={() => setEditing(!editing)}>
            {editing ? 'Done' : 'Edit tags'}
          </Button>
        )
      }
    >
      {editing ? (
        <div className="grid gap-2">
          {tags.map((tag) => (
            <Checkbox
              key={tag.id}
              checked={has(tag.id)}
              disabled={change.isPending}
              onChange={(event) => set(tag.id, event.currentTarget.checked)}
              label={<TagBadge tag={tag} />}
            />
          ))}
          <NewTag onCreated={(id) => set(id, true)} />
        </div>
      ) : applied.length > 0 ? (
        <span className="flex flex-wrap gap-1">
          {applied.map((tag) => (
            <TagBadge key={tag.id} tag={tag} />
          ))}
        </span>
      ) : (
        <p className="text-muted">No tags</p>
      )}
    </Part>
  )
}

const POLL_EVERY_MS = 4_000

const icons: Record<LeadEvent['kind'], LucideIcon> = {
  created: Import,
  scraped: Radar,
  listed: ListPlus,
  tagged: TagSign,
  messaged: MessageSquare,
  replied: MessageSquareReply,
  written: PenLine,
  skipped: SkipForward,
  paused: Pause,
  labelled: TagSign,
  note: NotebookPen,
}

function History({ lead }: { lead: LeadDetail }) {
  const { id } = lead
  const [at, setAt] = useState({ id, page: 1 })
  const page = at.id === id ? at.page : 1
  const history = useQuery(
    api.leads.history.queryOptions({
      input: { id, page, pageSize: EVENTS_PAGE_SIZE },
      placeholderData: keepPreviousData,
      // A reply can arrive while the sheet is open.
      refetchInterval: POLL_EVERY_MS,
    }),
  )
  return (
    <Part title="History">
      {history.isError && !history.data ? (
        <Callout tone="bad">{errorText(history.error)}</Callout>
      ) : history.data ? (
        <ol className="grid gap-3">
          {history.data.events.map((event) => {
            const Icon = icons[event.kind]
            return (
              <li key={`${event.kind}${event.at}${JSON.stringify(event)}`} className="flex gap-3">
                <Icon className="mt-0.5 size-4 shrink-0 text-muted" />
                <div className="grid min-w-0 flex-1 gap-0.5">
                  <EventText event={event} lead={lead} />
                  <DateTime value={event.at} className="text-xs text-muted" />
                </div>
              </li>
            )
          })}
        </ol>
      ) : (
        <SkeletonText lines={4} />
      )}
      <Pager
        page={page}
        pageSize={EVENTS_PAGE_SIZE}
        query={history}
        onChange={(next) => setAt({ id, page: next })}
        noun="events"
      />
    </Part>
  )
}

/** The text of a message in the conversation, with a button that deletes it here. */
function MessageText({ replyId, text }: { replyId: string; text: string | null }) {
  const mayWrite = useIsOffered('member')
  const remove = useAction(() => client.replies.removeText({ id: replyId }), { refetches: [api.leads.history] })
  if (text === null)
    return <p className="text-muted">{mayWrite ? 'This text was deleted.' : 'Viewers see no texts of replies.'}</p>
  return (
    <div className="flex items-start justify-between gap-2">
      <bdi className="wrap-anywhere text-muted">“{text}”</bdi>
      {mayWrite && (
        <Button
          size="sm"
          variant="ghost"
          icon={<Trash2 />}
          aria-label="Delete this text"
          loading={remove.isPending}
          onClick={() => remove.run()}
        />
      )}
    </div>
  )
}

const SCRAPED_FROM: Record<Extract<LeadEvent, { kind: 'scraped' }>['type'], string> = {
  followers: 'the followers of',
  following: 'accounts followed by',
  likers: 'the likes of a post',
  repliers: 'the replies to a post',
  list_members: 'the members of a list',
  handles: 'pasted handles',
}

function EventText({ event, lead }: { event: LeadEvent; lead: LeadDetail }) {
  switch (event.kind) {
    case 'created':
      return <p>Added as a lead</p>
    case 'scraped':
      return (
        <p>
          Scraped from {SCRAPED_FROM[event.type]}
          {event.twitterHandle && (
            <>
              {' '}
              <XHandle handle={event.twitterHandle} />
            </>
          )}
        </p>
      )
    case 'listed':
      return (
        <p className="wrap-anywhere">
          Added to the list <bdi className="font-strong">{event.listName}</bdi>
        </p>
      )
    case 'tagged':
      return (
        <p className="wrap-anywhere">
          Tagged <bdi className="font-strong">{event.tagName}</bdi>
        </p>
      )
    case 'messaged':
      return <MessagedEvent event={event} lead={lead} />
    case 'replied':
      return (
        <>
          <p>
            {event.optedOut ? 'Opted out' : event.dmId ? 'Replied' : 'Messaged you first'}
            {event.label && event.label !== 'opted_out' && (
              <span className="text-muted"> · {LABEL_NAMES[event.label]}</span>
            )}
          </p>
          <MessageText replyId={event.replyId} text={event.text} />
        </>
      )
    case 'written':
      return (
        <>
          <p>You messaged them on X</p>
          <MessageText replyId={event.replyId} text={event.text} />
        </>
      )
    case 'skipped':
      return (
        <>
          <p className="wrap-anywhere">
            Skipped step {event.stepNumber} of campaign <bdi className="font-strong">{event.campaignName}</bdi>
          </p>
          <p className="text-muted">{skippedText(event.why)}</p>
        </>
      )
    case 'paused':
      return (
        <>
          <p className="wrap-anywhere">
            Paused in campaign <bdi className="font-strong">{event.campaignName}</bdi>
            {event.until && (
              <>
                {' until '}
                <DateTime value={event.until} precision="day" />
              </>
            )}
          </p>
          <p className="text-muted">{event.why && pauseReasonText(event.why)}</p>
        </>
      )
    case 'labelled':
      return <p>Labeled {LABEL_NAMES[event.label]}</p>
    case 'note':
      return (
        <>
          <p>Note</p>
          {event.text && <bdi className="wrap-anywhere text-muted">{event.text}</bdi>}
        </>
      )
  }
}
