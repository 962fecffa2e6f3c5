import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { LeadDetail, LeadEvent } from '@x-automated/contract/leads/leads'
import {
  AtSign,
  Import,
  ListPlus,
  type LucideIcon,
  MessageSquare,
  MessageSquareReply,
  NotebookPen,
  Pause,
  PenLine,
  Radar,
  SkipForward,
  Tag as TagSign,
  Trash2,
} from 'lucide-react'
import { useState } from 'react'
import { api, client, errorText } from '../../../api'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { DateTime } from '../../../ui/date-time'
import { Pager } from '../../../ui/pager'
import { SkeletonText } from '../../../ui/skeleton'
import { useAction } from '../../../use-action'
import { useIsOffered } from '../../identity/people/use-role'
import { XHandle } from '../../platform/x-account/x-handle'
import { LABEL_NAMES, pauseReasonText, skippedText } from './history-text'
import { MessagedEvent } from './messaged-event'
import { SheetPart } from './sheet-part'

const EVENTS_PAGE_SIZE = 20
const POLL_EVERY_MS = 4_000

const icons: Record<LeadEvent['kind'], LucideIcon> = {
  created: Import,
  renamed: AtSign,
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

/** The events of a lead, newest first. */
export function LeadHistory({ lead }: { lead: LeadDetail }) {
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
    <SheetPart title="History">
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
    </SheetPart>
  )
}

/** The stored text of a message from a conversation, with a button that deletes it. */
function MessageText({ replyId, text }: { replyId: string; text: string | null }) {
  const mayWrite = useIsOffered('member')
  const remove = useAction(() => client.replies.removeText({ id: replyId }), { refetches: [api.leads.history] })
  if (text === null) return <p className="text-muted">{mayWrite ? 'Text not stored' : "Viewers can't read replies."}</p>
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
    case 'renamed':
      return (
        <p>
          Changed their handle. Until then it was <bdi className="font-strong">@{event.twitterHandle}</bdi>
        </p>
      )
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
          {event.crossedFollowUp && <p className="text-muted">Arrived while the follow-up was leaving</p>}
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
