import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import type { Message } from '@x-automated/contract/outreach/conversations'
import { refusalText, SkipReason } from '@x-automated/contract/reason'
import { Fragment, useLayoutEffect, useRef } from 'react'
import { generatePath, Link } from 'react-router'
import { paths } from '../../../paths'
import { Button } from '../../../ui/button'
import { cn } from '../../../ui/cn'
import { missingText } from '../../leads/leads/history-text'
import { dayText, messageFacts, sharesLine } from './inbox-text'
import { type useConversation, useMembers } from './use-inbox'
import type { SentAnswer } from './use-reply'

interface ThreadMessagesProps {
  query: ReturnType<typeof useConversation>
  campaign: Pick<Campaign, 'id' | 'name' | 'stepCount'> | undefined
  /** The answer being sent, or null. */
  sending: SentAnswer | null
}

/** A conversation's messages, oldest first, as on X. */
export function ThreadMessages({ query, campaign, sending }: ThreadMessagesProps) {
  const messages = (query.data?.pages.flatMap((page) => page.messages) ?? []).toReversed()
  const scroller = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  const last = messages.at(-1)
  const lastId = last?.id
  // A refetch may contain the answer before the call that sends it returns.
  const isSending =
    sending !== null && !(last?.isOurs && last.id !== sending.afterMessageId && last.text === sending.text)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new message comes into view
  useLayoutEffect(() => {
    const box = scroller.current
    if (box && isAtEnd.current) box.scrollTop = box.scrollHeight
  }, [lastId, isSending])
  const now = Date.now()
  const isEncrypted = query.data?.pages[0]?.isEncrypted ?? false
  const ownId = useMembers().members.find(({ isYou }) => isYou)?.id ?? null
  return (
    <div
      ref={scroller}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
      tabIndex={0}
      role="log"
      aria-label="Messages"
      className="min-h-0 flex-1 overflow-y-auto overscroll-contain -outline-offset-2"
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < 40
      }}
    >
      <div className="flex min-h-full flex-col justify-end gap-1 px-4 py-4 md:px-6">
        {query.hasNextPage && (
          <Button
            size="sm"
            variant="ghost"
            className="self-center"
            loading={query.isFetchingNextPage}
            onClick={() => query.fetchNextPage()}
          >
            Show earlier messages
          </Button>
        )}
        {messages.map((message, index) => {
          const before = messages[index - 1]
          const day = dayText(message.at, now)
          return (
            <Fragment key={message.id}>
              {(!before || dayText(before.at, now) !== day) && (
                <p className="py-3 text-center text-xs text-muted">{day}</p>
              )}
              <Bubble
                message={message}
                next={messages[index + 1]}
                before={before}
                campaign={campaign}
                isEncrypted={isEncrypted}
              />
            </Fragment>
          )
        })}
        {isSending && (
          <Bubble
            message={{
              id: 'sending',
              text: sending.text,
              at: new Date(now).toISOString(),
              isOurs: true,
              author: 'member',
              memberId: ownId,
              status: 'queued',
              stepNumber: null,
              variant: null,
              label: null,
              why: null,
            }}
            before={last}
            next={undefined}
            campaign={campaign}
          />
        )}
      </div>
    </div>
  )
}

interface BubbleProps {
  message: Message
  before: Message | undefined
  next: Message | undefined
  campaign: ThreadMessagesProps['campaign']
  isEncrypted?: boolean
}

function Bubble({ message, before, next, campaign, isEncrypted = false }: BubbleProps) {
  const { nameOf } = useMembers()
  const { isOurs, text, author, memberId, status, why } = message
  const authorName = author === 'member' && memberId ? (nameOf(memberId) ?? 'A former member') : undefined
  const isFailed = status === 'failed'
  const isFollowed = next !== undefined && sharesLine(message, next)
  // Not after an automatic reply or a "later": the campaign's page shows what happens then.
  const hasStoppedFollowUps =
    !isOurs &&
    before?.author === 'campaign' &&
    campaign !== undefined &&
    (before.stepNumber ?? 0) < campaign.stepCount &&
    message.label !== 'auto_reply' &&
    message.label !== 'later'
  const reason = why && SkipReason.safeParse(why)
  return (
    <div
      className={cn(
        'grid max-w-[84%] gap-1',
        isOurs ? 'self-end justify-items-end text-end' : 'self-start justify-items-start',
        !isFollowed && 'pb-3',
      )}
    >
      <p
        className={cn(
          'rounded-xl px-3.5 py-2 text-start text-sm whitespace-pre-wrap wrap-anywhere',
          isOurs ? 'rounded-ee-sm bg-bubble text-on-bubble' : 'rounded-es-sm bg-bubble-in',
          isFailed && 'border border-bad bg-transparent text-ink',
          text === null && 'bg-transparent text-muted italic ring-1 ring-line',
        )}
      >
        <span className="sr-only">{isOurs ? (authorName ?? 'You') : 'Lead'}: </span>
        <bdi>{text ?? missingText({ isEncrypted })}</bdi>
      </p>
      {!isFollowed && (
        <p className={cn('px-1 text-xs text-balance text-muted', isFailed && 'text-bad')} data-numeric>
          {author === 'campaign' && campaign && before?.author !== 'campaign' && (
            <>
              <Link
                to={generatePath(paths.campaign, { campaignId: campaign.id })}
                className="rounded-sm underline-offset-2 hover:underline"
              >
                <bdi>{campaign.name}</bdi>
              </Link>
              {' · '}
            </>
          )}
          {messageFacts(message, authorName)}
          {reason?.success && ` · ${refusalText(reason.data)}`}
          {hasStoppedFollowUps && ' · follow-ups stopped'}
        </p>
      )}
    </div>
  )
}
