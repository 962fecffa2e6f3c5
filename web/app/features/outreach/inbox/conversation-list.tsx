import { useQuery } from '@tanstack/react-query'
import { formatNumber } from '@x-automated/contract/format'
import { type Conversation, type ConversationStatus, isWaiting } from '@x-automated/contract/outreach/conversations'
import { CheckCheck, Inbox as InboxIcon, ListChecks, Search, SearchX } from 'lucide-react'
import { type ReactNode, type RefObject, useEffect, useState } from 'react'
import { generatePath, Link } from 'react-router'
import { api } from '../../../api'
import { isInitialLoading } from '../../../initial-loading'
import { paths } from '../../../paths'
import { QueryError } from '../../../query-error'
import { Avatar } from '../../../ui/avatar'
import { Button, IconButton } from '../../../ui/button'
import { Checkbox } from '../../../ui/choice'
import { cn } from '../../../ui/cn'
import { Input } from '../../../ui/input'
import { LoadingText, Skeleton, SkeletonLine } from '../../../ui/skeleton'
import { useDebouncedValue } from '../../../ui/use-debounced-value'
import { useFocusFallback } from '../../../ui/use-focus-fallback'
import { missingText } from '../../leads/leads/history-text'
import { isUndecided, useConsentDialog } from '../../platform/x-account/consent-dialog'
import { useAccounts } from '../../platform/x-account/use-accounts'
import { ConversationOffers, useConversationOffersLoaded } from '../conversation-offers/conversation-offers'
import { ReplyDetectionNotice, useReplyDetectionLoaded } from '../replies/reply-detection'
import { BulkBar } from './bulk-bar'
import { FilterMenu } from './filter-menu'
import { narrowedBy } from './inbox-filter'
import { ageText, nextSendText, snoozeText } from './inbox-text'
import { LabelName } from './label-name'
import { NOTHING_SELECTED } from './selection'
import { type Inbox, useCampaignsById, useMembers } from './use-inbox'

interface ConversationListProps {
  inbox: Inbox
  searchRef: RefObject<HTMLInputElement | null>
}

const STATUS_NAMES: Record<ConversationStatus, string> = { open: 'Open', snoozed: 'Snoozed', done: 'Done' }

/** The filter, and the conversations that match it, latest first. */
export function ConversationList({ inbox, searchRef }: ConversationListProps) {
  const { list } = inbox
  const focusFallback = useFocusFallback<HTMLDivElement>()
  const noticesKnown = [useReplyDetectionLoaded(), useConversationOffersLoaded(), !isInitialLoading(useAccounts())]
  const rows = noticesKnown.every(Boolean) ? inbox.rows : undefined
  return (
    <>
      <ListHead inbox={inbox} />
      <SearchField inbox={inbox} searchRef={searchRef} />
      <div
        {...focusFallback}
        className="min-h-0 flex-1 outline-none md:overflow-y-auto md:overscroll-contain md:[scrollbar-width:thin]"
      >
        <div className="grid gap-2 border-b border-hair px-4 py-3 empty:hidden md:px-5">
          <ReplyDetectionNotice />
          <ConsentNotices />
        </div>
        <ConversationOffers />
        {list.isError && !list.data ? (
          <div className="p-4">
            <QueryError query={list} fallback="Failed to load conversations. Please try again." />
          </div>
        ) : !rows ? (
          <ListSkeleton />
        ) : rows.length === 0 ? (
          <EmptyList inbox={inbox} />
        ) : (
          <Rows inbox={inbox} rows={rows} />
        )}
      </div>
      {inbox.selection.isOn && <BulkBar inbox={inbox} />}
    </>
  )
}

/** Says which X accounts' texts are not stored because nobody has decided. */
function ConsentNotices() {
  const { show, dialog } = useConsentDialog()
  const undecided = useAccounts().data?.accounts.filter(({ storesConversations }) => storesConversations === null)
  return (
    <>
      {undecided?.map((account) => (
        <p key={account.id} className="text-xs text-muted">
          {isUndecided(account) ? (
            <>
              Texts of @{account.handle} aren't stored yet.{' '}
              <button type="button" className="text-link pointer-coarse:py-2" onClick={() => show(account)}>
                Decide
              </button>
            </>
          ) : (
            `Texts of @${account.handle} aren't stored until the person who connected it allows that.`
          )}
        </p>
      ))}
      {dialog}
    </>
  )
}

function ListHead({ inbox }: { inbox: Inbox }) {
  const { filter, setFilter, counts, selection, setSelection } = inbox
  const numbers = { open: counts?.open, snoozed: counts?.snoozed, done: undefined }
  return (
    <header className="flex h-bar shrink-0 items-center gap-1.5 border-hair px-4 md:border-b md:ps-5 md:pe-1.5">
      {/* On phones, an open conversation covers the heading, but screen readers still find it. */}
      <h1 className="visible me-auto shrink-0 text-sm md:max-lg:sr-only max-md:fixed max-md:start-(--start-of-title) max-md:top-0 max-md:z-31 max-md:h-bar max-md:text-lg max-md:leading-[var(--spacing-bar)]">
        Inbox
      </h1>
      <fieldset className="flex gap-0.5 rounded-md bg-pressed p-0.5 max-md:me-auto">
        <legend className="sr-only">Status</legend>
        {(Object.keys(STATUS_NAMES) as ConversationStatus[]).map((status) => (
          <button
            key={status}
            type="button"
            aria-pressed={filter.status === status}
            onClick={() => setFilter({ status })}
            className="flex min-h-7 items-center gap-1 rounded-sm px-1.5 text-xs text-muted transition-colors hover:text-ink aria-pressed:bg-raised aria-pressed:font-strong aria-pressed:text-ink aria-pressed:shadow-xs pointer-coarse:min-h-9 min-[24rem]:pointer-coarse:px-3"
          >
            {STATUS_NAMES[status]}
            {numbers[status] !== undefined && (
              <span className="font-normal text-muted" data-numeric>
                {formatNumber(numbers[status])}
              </span>
            )}
          </button>
        ))}
      </fieldset>
      <FilterMenu inbox={inbox} />
      {/* With a mouse, the button is not needed: a row's checkbox appears on hover. */}
      <IconButton
        size="sm"
        label="Select"
        icon={<ListChecks />}
        aria-pressed={selection.isOn}
        className={cn('md:pointer-fine:hidden', selection.isOn ? 'bg-pressed' : 'text-muted')}
        onClick={() => setSelection({ ...NOTHING_SELECTED, isOn: !selection.isOn })}
      />
    </header>
  )
}

function SearchField({ inbox, searchRef }: ConversationListProps) {
  const { filter, setFilter } = inbox
  const [typed, setTyped] = useState(filter.q ?? '')
  const wanted = useDebouncedValue(typed.trim(), 300)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing changes the filter
  useEffect(() => {
    if (wanted !== (filter.q ?? '')) setFilter({ q: wanted || undefined })
  }, [wanted])
  // "Clear filters" and Back change the filter, too. Text that is being typed stays.
  useEffect(() => {
    if (document.activeElement !== searchRef.current) setTyped(filter.q ?? '')
  }, [filter.q, searchRef])
  return (
    <div className="border-b border-hair px-4 py-2 md:px-3">
      <Input
        ref={searchRef}
        type="search"
        aria-label="Search conversations"
        aria-keyshortcuts="/"
        placeholder="Search names and messages"
        autoComplete="off"
        maxLength={200}
        leading={<Search />}
        className="[--control-height:--spacing(8)]"
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape' || event.key === 'Enter') event.currentTarget.blur()
        }}
      />
    </div>
  )
}

function Rows({ inbox, rows }: { inbox: Inbox; rows: Conversation[] }) {
  const { list } = inbox
  const { campaignOf } = useCampaignsById()
  const { nameOf } = useMembers()
  return (
    <>
      <ul aria-busy={list.isPlaceholderData || undefined} className={cn(list.isPlaceholderData && 'opacity-60')}>
        {rows.map((conversation) => (
          <Row
            key={conversation.id}
            inbox={inbox}
            conversation={conversation}
            campaign={campaignOf(conversation.campaignId)?.name}
            assignee={conversation.assigneeId ? nameOf(conversation.assigneeId) : undefined}
          />
        ))}
      </ul>
      {list.hasNextPage ? (
        <div className="p-4">
          <Button size="sm" wide loading={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
            Show more
          </Button>
        </div>
      ) : (
        inbox.filter.status === 'open' &&
        narrowedBy(inbox.filter) === 0 &&
        !inbox.filter.q && (
          <p className="px-5 py-4 text-xs text-muted">
            {!rows.some((row) => row.isUnread || isWaiting(row)) && 'All done. '}
            <NextSend />
          </p>
        )
      )}
    </>
  )
}

interface RowProps {
  inbox: Inbox
  conversation: Conversation
  campaign: string | undefined
  assignee: string | undefined
}

function Row({ inbox, conversation, campaign, assignee }: RowProps) {
  const { id, lead, lastMessage, isUnread, label, snoozedUntil } = conversation
  const name = lead.name || `@${lead.twitterHandle}`
  const isOpen = inbox.openId === id
  const { isOn } = inbox.selection
  const isSelected = inbox.selected.includes(conversation)
  return (
    <li
      data-conversation={id}
      className="group relative scroll-mt-2 border-b border-hair [contain-intrinsic-size:auto_5.375rem] [content-visibility:auto]"
    >
      <Link
        to={generatePath(paths.conversation, { conversationId: id }) + inbox.search}
        replace={inbox.openId !== null}
        preventScrollReset
        aria-current={isOpen ? 'true' : undefined}
        className={cn(
          'relative flex gap-3 py-3 ps-5 pe-4 -outline-offset-2 transition-colors hover:bg-hover aria-[current]:bg-pressed',
          isSelected && 'bg-hover',
        )}
      >
        {isUnread && <span aria-hidden className="absolute start-2 top-6.5 size-1.5 rounded-full bg-ink" />}
        <span
          className={
            isOn ? 'invisible' : 'group-has-[input:focus-visible]:invisible pointer-fine:group-hover:invisible'
          }
        >
          <Avatar name={name} src={lead.pictureUrl} />
        </span>
        <span className="grid min-w-0 flex-1 grid-cols-1">
          <span className="flex items-baseline justify-between gap-2">
            <bdi className={cn('truncate', isUnread && 'font-strong')}>{name}</bdi>
            <time dateTime={lastMessage.at} className="shrink-0 text-xs text-muted" data-numeric>
              {ageText(lastMessage.at, Date.now())}
            </time>
          </span>
          <span className={cn('flex gap-1', !isUnread && 'text-muted')}>
            {isUnread && <span className="sr-only">Unread: </span>}
            {lastMessage.isOurs && <span>You:</span>}
            <bdi className="truncate">{lastMessage.text ?? missingText(conversation)}</bdi>
          </span>
          <span className="flex min-w-0 items-center gap-2 text-xs text-muted">
            {label && (
              <span className="shrink-0">
                <LabelName label={label} />
              </span>
            )}
            {conversation.status === 'snoozed' && snoozedUntil && (
              <span className="shrink-0">until {snoozeText(snoozedUntil, Date.now())}</span>
            )}
            {conversation.status === 'done' && !inbox.filter.status && <span className="shrink-0">Done</span>}
            <bdi className="truncate">{campaign}</bdi>
            {assignee && <span className="ms-auto max-w-24 shrink-0 truncate">{assignee}</span>}
          </span>
        </span>
      </Link>
      {/* The checkbox replaces the picture. On phones, its label covers the whole row while selecting. */}
      {/* biome-ignore lint/a11y/noLabelWithoutControl: the checkbox is inside */}
      <label
        className={cn(
          'absolute start-3.5 top-1.5 grid size-12 place-items-center select-none',
          isOn
            ? 'max-md:inset-0 max-md:size-auto max-md:place-items-start max-md:ps-[1.8125rem] max-md:pt-[1.3125rem]'
            : 'opacity-0 has-focus-visible:opacity-100 pointer-coarse:pointer-events-none pointer-fine:group-hover:opacity-100',
        )}
      >
        <Checkbox
          aria-label={`Select ${name}`}
          checked={isSelected}
          onChange={({ nativeEvent }) => inbox.select(id, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)}
        />
      </label>
    </li>
  )
}

/** When the campaigns send next. Empty until that is known. */
function NextSend() {
  const { campaigns } = useCampaignsById()
  return campaigns ? nextSendText(campaigns, Date.now()) : null
}

function EmptyList({ inbox }: { inbox: Inbox }) {
  const { filter, setFilter, counts } = inbox
  const mayBeNew = filter.status === 'open' && counts?.open === 0 && counts.snoozed === 0
  const done = useQuery(
    api.conversations.list.queryOptions({ input: { status: 'done', pageSize: 1 }, enabled: mayBeNew }),
  )
  if (filter.q || narrowedBy(filter) > 0)
    return (
      <Empty icon={<SearchX />} title="No matching conversations">
        <Button
          size="sm"
          onClick={() =>
            setFilter({
              q: undefined,
              label: undefined,
              tag: undefined,
              assigneeId: undefined,
              xAccountId: undefined,
              campaignId: undefined,
            })
          }
        >
          Clear filters
        </Button>
      </Empty>
    )
  if (filter.status === 'snoozed')
    return <Empty title="Nothing is snoozed">A snoozed conversation comes back at the time you choose.</Empty>
  if (filter.status === 'done')
    return <Empty title="Nothing is done yet">A conversation that is done opens again when the lead writes.</Empty>
  if (mayBeNew && done.isPending) return null
  if (mayBeNew && done.data?.conversations.length === 0)
    return (
      <Empty icon={<InboxIcon />} title="No replies yet">
        Replies to your messages arrive here. <NextSend />
      </Empty>
    )
  return (
    <Empty icon={<CheckCheck />} title="All done">
      <NextSend />
    </Empty>
  )
}

function Empty({ icon, title, children }: { icon?: ReactNode; title: string; children: ReactNode }) {
  return (
    <div className="grid justify-items-center gap-1.5 px-6 py-16 text-center [&>svg]:size-5 [&>svg]:text-muted">
      {icon}
      <p className="font-strong">{title}</p>
      <div className="text-muted">{children}</div>
    </div>
  )
}

function ListSkeleton() {
  return (
    <>
      <LoadingText>Loading conversations…</LoadingText>
      {Array.from({ length: 8 }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike and never move
        <div key={index} aria-hidden className="flex gap-3 border-b border-hair py-3 ps-5 pe-4">
          <Skeleton className="size-9 shrink-0 rounded-full!" />
          <span className="grid flex-1">
            <SkeletonLine className="w-28" />
            <SkeletonLine className="w-full" />
            <SkeletonLine className="w-20" />
          </span>
        </div>
      ))}
    </>
  )
}
