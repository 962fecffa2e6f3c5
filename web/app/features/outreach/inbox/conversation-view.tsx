import { useQuery } from '@tanstack/react-query'
import type { ReplyLabel } from '@x-automated/contract/leads/leads'
import { Check, ChevronLeft, Ellipsis, ExternalLink, Mail, SearchX, UserRound } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { api, errorCode, errorText } from '../../../api'
import { QueryError } from '../../../query-error'
import { Button, IconButton } from '../../../ui/button'
import { Sheet } from '../../../ui/dialog'
import { Kbd } from '../../../ui/kbd'
import { Menu, MenuItem } from '../../../ui/menu'
import { LoadingText, Skeleton } from '../../../ui/skeleton'
import { useKeys } from '../../../ui/use-keys'
import { LABEL_NAMES } from '../../leads/leads/history-text'
import { XHandle } from '../../platform/x-account/x-handle'
import { AssignMenu } from './assign-menu'
import { ConversationNotices } from './conversation-notices'
import { snoozeText } from './inbox-text'
import { LABEL_KEYS, LabelMenu } from './label-keypad'
import { LeadCard } from './lead-card'
import { ReferralOffer } from './referral-offer'
import { ReplyBox } from './reply-box'
import { SnoozeMenu } from './snooze-menu'
import { ThreadMessages } from './thread-messages'
import { type Inbox, useCampaignsById, useChangeConversation, useConversation, useInboxContext } from './use-inbox'

/** The open conversation with the lead's card. Mounted once per conversation. */
export function ConversationView({ id }: { id: string }) {
  const query = useConversation(id)
  const inbox = useInboxContext()
  // What the list knows is there before the messages are.
  const found = query.data?.pages[0]
  const known = found ?? inbox.rows?.find((row) => row.id === id)
  if (query.isError && !found)
    return (
      <Frame>
        <Head onBack={() => inbox.open(null)} title="Conversation" />
        <div className="p-4">
          {errorCode(query.error) === 'CONVERSATION_NOT_FOUND' ? (
            <div className="grid justify-items-center gap-1.5 px-6 py-16 text-center">
              <SearchX aria-hidden className="size-5 text-muted" />
              <p className="font-strong">{errorText(query.error)}</p>
              <p className="text-muted">The lead may have been deleted, or the link belongs to another workspace.</p>
            </div>
          ) : (
            <QueryError query={query} fallback="Failed to load the conversation. Please try again." />
          )}
        </div>
      </Frame>
    )
  if (!known)
    return (
      <Frame>
        <Head onBack={() => inbox.open(null)} title="" />
        <LoadingText>Loading conversation…</LoadingText>
        <ThreadSkeleton />
      </Frame>
    )
  return <Known inbox={inbox} query={query} conversation={known} />
}

interface KnownProps {
  inbox: Inbox
  query: ReturnType<typeof useConversation>
  conversation: NonNullable<Inbox['rows']>[number]
}

function Known({ inbox, query, conversation }: KnownProps) {
  const { id, lead, status, isUnread, isEncrypted, suppression, campaignId } = conversation
  const { change } = useChangeConversation()
  const { campaignOf } = useCampaignsById()
  const [shown, setShown] = useState<'snooze' | 'assign' | 'card' | null>(inbox.nextMenu.current)
  const [sending, setSending] = useState<string | null>(null)
  const textarea = useRef<HTMLTextAreaElement>(null)
  const toggle = (what: typeof shown) => (open: boolean) => setShown(open ? what : null)
  const name = nameOf(conversation)
  const loaded = query.data?.pages[0]
  const isLoaded = loaded !== undefined

  useEffect(() => {
    inbox.nextMenu.current = null
  }, [inbox.nextMenu])

  // Once per message: a conversation that is marked as unread stays so until the lead writes.
  const readAt = useRef('')
  const lastId = conversation.lastMessage.id
  useEffect(() => {
    if (!isLoaded || readAt.current === lastId) return
    readAt.current = lastId
    if (isUnread) void change(conversation, { isRead: true })
  })

  const finish = (target = conversation) => {
    const done = target.status !== 'done'
    const back = () => inbox.open(target.id)
    inbox.openNext()
    void change(
      target,
      { status: done ? 'done' : 'open' },
      { done: `${nameOf(target)}: ${done ? 'done' : 'open again'}`, onUndone: back },
    )
  }
  const snooze = (until: Date, reengage: boolean) => {
    setShown(null)
    inbox.openNext()
    const update = { status: 'snoozed', snoozedUntil: until.toISOString(), ...(reengage && { reengage }) } as const
    const done = `Snoozed until ${snoozeText(until, Date.now())}`
    void change(conversation, update, { done, onUndone: () => inbox.open(id) })
  }
  const setLabel = (label: ReplyLabel, target = conversation) => {
    // The key of the classifier's own label confirms it.
    if (label !== target.label || target.confidence !== null)
      void change(target, { label }, { done: `Labeled ${LABEL_NAMES[label]}` })
  }
  const assign = (assigneeId: string | null, to: string | null) =>
    void change(conversation, { assigneeId }, { done: to === null ? 'Unassigned' : `Assigned to ${to}` })
  const openMenu = (menu: 'snooze' | 'assign') => {
    if (inbox.target(conversation) === conversation) setShown(menu)
    else inbox.nextMenu.current = menu
  }
  const keys = {
    e: () => finish(inbox.target(conversation)),
    h: () => openMenu('snooze'),
    a: () => openMenu('assign'),
    ...Object.fromEntries(
      LABEL_KEYS.map((label, index) => [String(index + 1), () => setLabel(label, inbox.target(conversation))]),
    ),
  }
  // What is selected takes the keys instead.
  const typing = { r: () => textarea.current?.focus() }
  useKeys(inbox.selection.isOn ? typing : { ...typing, ...keys })

  const hasReengagement = useHasReengagement(campaignId)
  const reply = loaded?.messages.find((message) => !message.isOurs)
  const card = (
    <LeadCard conversation={conversation} campaign={campaignOf(campaignId)} notes={loaded?.notes} onLabel={setLabel} />
  )
  return (
    <div className="md:grid md:min-h-0 md:min-w-0 xl:grid-cols-[minmax(0,1fr)_18.5rem]">
      <Frame>
        <Head
          title={name}
          onBack={() => inbox.open(null)}
          actions={
            <>
              <Button size="sm" variant="ghost" icon={<Check />} aria-keyshortcuts="E" onClick={() => finish()}>
                <span className="font-normal max-lg:sr-only">{status === 'done' ? 'Reopen' : 'Done'}</span> <Kbd>E</Kbd>
              </Button>
              <SnoozeMenu
                open={shown === 'snooze'}
                onOpenChange={toggle('snooze')}
                canReengage={hasReengagement}
                reply={reply}
                onSnooze={snooze}
              />
              <AssignMenu
                conversation={conversation}
                open={shown === 'assign'}
                onOpenChange={toggle('assign')}
                onAssign={assign}
              />
              <IconButton
                size="sm"
                label="Details"
                title="Details"
                icon={<UserRound />}
                className="xl:hidden"
                onClick={() => setShown('card')}
              />
              <Menu trigger={<IconButton size="sm" label="More" icon={<Ellipsis />} />}>
                <MenuItem icon={<Mail />} onSelect={() => void change(conversation, { isRead: isUnread })}>
                  {isUnread ? 'Mark as read' : 'Mark as unread'}
                </MenuItem>
                <MenuItem
                  icon={<ExternalLink />}
                  onSelect={() =>
                    window.open(`https://x.com/${encodeURIComponent(lead.twitterHandle)}`, '_blank', 'noopener')
                  }
                >
                  Open on X
                </MenuItem>
              </Menu>
            </>
          }
        />
        <div className="flex min-h-11 shrink-0 items-center justify-between gap-3 border-b border-hair px-4 xl:hidden">
          <LabelMenu conversation={conversation} onLabel={setLabel} />
          <XHandle handle={lead.twitterHandle} className="truncate text-xs text-muted" />
        </div>
        {isLoaded ? (
          <ThreadMessages query={query} campaign={campaignOf(campaignId)} sending={sending} />
        ) : (
          <ThreadSkeleton />
        )}
        <div className="grid shrink-0 grid-cols-1 gap-2 px-4 pb-4 empty:hidden">
          {isLoaded && <ReferralOffer conversation={conversation} messages={loaded.messages} />}
          <ConversationNotices conversation={conversation} />
          {loaded?.messages[0] && !isEncrypted && suppression !== 'suppressed' && (
            <ReplyBox
              conversation={conversation}
              lastMessageId={loaded.messages[0].id}
              draft={loaded.draft}
              otherDrafts={loaded.otherDrafts}
              textarea={textarea}
              onSending={setSending}
            />
          )}
        </div>
      </Frame>
      <aside aria-label="Lead" className="flex min-h-0 flex-col border-s border-hair pt-bar max-xl:hidden">
        <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain p-5 pt-2">{card}</div>
        {/* For the eyes: screen readers know the keys of each control. */}
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
      </aside>
      <Sheet open={shown === 'card'} onClose={() => setShown(null)} title={name}>
        <div className="pb-6 text-ui">{card}</div>
      </Sheet>
    </div>
  )
}

const nameOf = ({ lead }: KnownProps['conversation']) => lead.name || `@${lead.twitterHandle}`

const KEY_HINTS = [
  { keys: ['J', 'K'], does: 'next' },
  { keys: ['X'], does: 'select' },
  { keys: ['R'], does: 'reply' },
  { keys: ['?'], does: 'keys' },
]

/** Whether the campaign sends a re-engagement step, which a snooze can bring. */
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
        <bdi>{title}</bdi>
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
