import { useQuery } from '@tanstack/react-query'
import type { Message } from '@x-automated/contract/outreach/conversations'
import { Check, ChevronLeft, Ellipsis, ExternalLink, Mail, SearchX, UserRound } from 'lucide-react'
import { useRef, useState } from 'react'
import { api, errorCode, errorText } from '../../../api'
import { QueryError } from '../../../query-error'
import { Button, IconButton } from '../../../ui/button'
import { Sheet } from '../../../ui/dialog'
import { Kbd } from '../../../ui/kbd'
import { Menu, MenuItem } from '../../../ui/menu'
import { LoadingText, Skeleton } from '../../../ui/skeleton'
import { XHandle } from '../../platform/x-account/x-handle'
import { AssignMenu } from './assign-menu'
import { ConversationNotices } from './conversation-notices'
import { EarlyReply, NoReply } from './early-reply'
import { LabelMenu } from './label-keypad'
import { LeadCard } from './lead-card'
import { ReferralOffer } from './referral-offer'
import { ReplyBox } from './reply-box'
import { SnoozeMenu } from './snooze-menu'
import { ThreadMessages } from './thread-messages'
import {
  type ConversationActions,
  nameOf,
  useConversationActions,
  useConversationKeys,
  useReadMark,
} from './use-conversation-actions'
import { type Inbox, useCampaignsById, useConversation } from './use-inbox'
import type { SentAnswer } from './use-reply'

/** The open conversation with its lead's card. Mounted once per conversation. */
export function ConversationView({ id, inbox }: { id: string; inbox: Inbox }) {
  const query = useConversation(id)
  // The list's data is available before the messages have loaded.
  const page = query.data?.pages[0]
  const conversation = page ?? inbox.rows?.find((row) => row.id === id)
  if (query.isError && !page)
    return (
      <Frame>
        <Head onBack={() => inbox.open(null)} title={conversation ? nameOf(conversation) : 'Conversation'} />
        <div className="grid gap-4 p-4">
          {errorCode(query.error) === 'CONVERSATION_NOT_FOUND' ? (
            <div className="grid justify-items-center gap-1.5 px-6 py-16 text-center">
              <SearchX aria-hidden className="size-5 text-muted" />
              <p className="font-strong">{errorText(query.error)}</p>
              <p className="text-muted">The lead may have been deleted, or the link belongs to another workspace.</p>
              <NoReply id={id} />
            </div>
          ) : (
            <>
              <QueryError query={query} fallback="Failed to load the conversation. Please try again." />
              <EarlyReply id={id} />
            </>
          )}
        </div>
      </Frame>
    )
  if (!conversation)
    return (
      <Frame>
        <Head onBack={() => inbox.open(null)} title="" />
        <LoadingText>Loading conversation…</LoadingText>
        <ThreadSkeleton />
        <div className="px-4 pb-4">
          <EarlyReply id={id} />
        </div>
      </Frame>
    )
  return <LoadedConversation inbox={inbox} query={query} conversation={conversation} />
}

interface LoadedConversationProps {
  inbox: Inbox
  query: ReturnType<typeof useConversation>
  conversation: NonNullable<Inbox['rows']>[number]
}

function LoadedConversation({ inbox, query, conversation }: LoadedConversationProps) {
  const { lead, isEncrypted, suppression, campaignId } = conversation
  const actions = useConversationActions(inbox, conversation)
  const { campaignOf } = useCampaignsById()
  const [sending, setSending] = useState<SentAnswer | null>(null)
  const textarea = useRef<HTMLTextAreaElement>(null)
  useConversationKeys(inbox, actions)
  const name = nameOf(conversation)
  const loaded = query.data?.pages[0]
  const isLoaded = loaded !== undefined
  useReadMark(conversation, isLoaded)

  const card = (
    <LeadCard
      conversation={conversation}
      campaign={campaignOf(campaignId)}
      notes={loaded?.notes}
      onLabel={actions.setLabel}
    />
  )
  return (
    <div className="md:grid md:min-h-0 md:min-w-0 xl:grid-cols-[minmax(0,1fr)_18.5rem]">
      <Frame>
        <Head
          title={name}
          onBack={() => inbox.open(null)}
          actions={
            <HeadActions
              conversation={conversation}
              actions={actions}
              reply={loaded?.messages.find((message) => !message.isOurs)}
            />
          }
        />
        <div className="flex min-h-11 shrink-0 items-center justify-between gap-3 border-b border-hair px-4 xl:hidden">
          <LabelMenu conversation={conversation} onLabel={actions.setLabel} />
          {/* Between phones and wide screens, the actions leave no room for the name above. */}
          <bdi className="truncate text-xs font-strong max-md:hidden lg:hidden">{name}</bdi>
          <XHandle handle={lead.twitterHandle} className="truncate text-xs text-muted md:max-lg:hidden" />
        </div>
        {isLoaded ? (
          <ThreadMessages query={query} campaign={campaignOf(campaignId)} sending={sending} />
        ) : (
          <ThreadSkeleton />
        )}
        <div className="grid shrink-0 grid-cols-1 gap-2 px-4 pb-4 empty:hidden">
          {isLoaded && <ReferralOffer conversation={conversation} messages={loaded.messages} />}
          <ConversationNotices conversation={conversation} />
          {isEncrypted || suppression === 'suppressed' ? (
            <NoReply id={conversation.id} />
          ) : (
            <ReplyBox
              conversation={conversation}
              lastMessageId={loaded?.messages[0]?.id ?? conversation.lastMessage.id}
              draft={loaded?.draft}
              otherDrafts={loaded?.otherDrafts ?? []}
              textarea={textarea}
              onSending={setSending}
              onNext={() => void inbox.openNextWaiting()}
            />
          )}
        </div>
      </Frame>
      <aside aria-label="Lead" className="flex min-h-0 flex-col border-s border-hair pt-bar max-xl:hidden">
        <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain p-5 pt-2">{card}</div>
        <KeyHints />
      </aside>
      <Sheet open={actions.shown === 'card'} onClose={() => actions.setShown(null)} title={name}>
        <div className="pb-6 text-ui">{card}</div>
      </Sheet>
    </div>
  )
}

interface HeadActionsProps {
  conversation: LoadedConversationProps['conversation']
  actions: ConversationActions
  /** The lead's last message. */
  reply: Message | undefined
}

function HeadActions({ conversation, actions, reply }: HeadActionsProps) {
  const { lead, status, isUnread, campaignId } = conversation
  const { shown: openMenu, setShown: setOpenMenu, finish, snooze, assign, markAsRead } = actions
  const canReengage = useHasReengagement(campaignId)
  const toggle = (what: typeof openMenu) => (open: boolean) => setOpenMenu(open ? what : null)
  return (
    <>
      <Button size="sm" variant="ghost" icon={<Check />} aria-keyshortcuts="E" onClick={() => finish()}>
        <span className="font-normal max-lg:sr-only">{status === 'done' ? 'Reopen' : 'Done'}</span>{' '}
        <span className="max-lg:hidden">
          <Kbd>E</Kbd>
        </span>
      </Button>
      <SnoozeMenu
        open={openMenu === 'snooze'}
        onOpenChange={toggle('snooze')}
        canReengage={canReengage}
        reply={reply}
        onSnooze={snooze}
      />
      <AssignMenu
        conversation={conversation}
        open={openMenu === 'assign'}
        onOpenChange={toggle('assign')}
        onAssign={assign}
      />
      <IconButton
        size="sm"
        label="Details"
        title="Details"
        icon={<UserRound />}
        className="xl:hidden"
        onClick={() => setOpenMenu('card')}
      />
      <Menu trigger={<IconButton size="sm" label="More" icon={<Ellipsis />} />}>
        <MenuItem icon={<Mail />} onSelect={() => markAsRead(isUnread)}>
          {isUnread ? 'Mark as read' : 'Mark as unread'}
        </MenuItem>
        <MenuItem
          icon={<ExternalLink />}
          onSelect={() => window.open(`https://x.com/${encodeURIComponent(lead.twitterHandle)}`, '_blank', 'noopener')}
        >
          Open on X
        </MenuItem>
      </Menu>
    </>
  )
}

const KEY_HINTS = [
  { keys: ['J', 'K'], does: 'next' },
  { keys: ['X'], does: 'select' },
  { keys: ['R'], does: 'reply' },
  { keys: ['?'], does: 'keys' },
]

/** Shows the most important shortcuts. Hidden from screen readers, which get them from each control. */
function KeyHints() {
  return (
    <p aria-hidden className="flex gap-3 border-t border-hair px-5 py-3 text-xs text-muted pointer-coarse:hidden">
      {KEY_HINTS.map(({ keys, does }) => (
        <span key={does} className="flex items-center gap-1">
          {keys.map((key) => (
            <Kbd key={key}>{key}</Kbd>
          ))}
          {does}
        </span>
      ))}
    </p>
  )
}

/** Whether the campaign has a re-engagement step, which can be sent when a snooze ends. */
function useHasReengagement(campaignId: string | null): boolean {
  const sequence = useQuery(
    api.sequences.find.queryOptions({ input: { id: campaignId ?? '' }, enabled: campaignId !== null }),
  )
  return Boolean(sequence.data?.reengagement)
}

function Frame({ children }: { children: React.ReactNode }) {
  return (
    <section
      aria-label="Conversation"
      className="flex min-w-0 flex-col max-md:fixed max-md:inset-x-0 max-md:top-0 max-md:bottom-tab-bar max-md:z-31 max-md:bg-canvas md:min-h-0"
    >
      {children}
    </section>
  )
}

function Head({ title, onBack, actions }: { title: string; onBack: () => void; actions?: React.ReactNode }) {
  return (
    <header className="flex h-bar shrink-0 items-center gap-0.5 border-b border-hair ps-2 pe-2 md:ps-6 md:max-xl:pe-[calc(--spacing(25)+var(--width-of-jobs))]">
      <IconButton size="sm" label="Back to the list" icon={<ChevronLeft />} className="md:hidden" onClick={onBack} />
      <h2 className="me-auto min-w-0 truncate text-sm">
        <bdi className="block truncate">{title}</bdi>
      </h2>
      {actions}
    </header>
  )
}

function ThreadSkeleton() {
  return (
    <div aria-hidden className="flex flex-1 flex-col justify-end gap-4 p-6">
      <Skeleton className="h-20 w-4/5 self-end rounded-xl!" />
      <Skeleton className="h-16 w-3/5 self-end rounded-xl!" />
      <Skeleton className="h-10 w-1/2 rounded-xl!" />
    </div>
  )
}
