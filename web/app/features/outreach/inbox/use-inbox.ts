import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { formatNumber } from '@x-automated/contract/format'
import type { Conversation } from '@x-automated/contract/outreach/conversations'
import { useLayoutEffect, useRef, useState } from 'react'
import {
  generatePath,
  useLocation,
  useNavigate,
  useNavigationType,
  useOutletContext,
  useParams,
  useSearchParams,
} from 'react-router'
import { api, client, errorText } from '../../../api'
import { paths } from '../../../paths'
import { workspaceValue } from '../../../session'
import { toast } from '../../../ui/toast'
import { allCampaigns, CAMPAIGN_NAMES } from '../campaigns/all-campaigns'
import { nextWaiting, nextWaitingAfter } from './answers-under-way'
import { type ConversationChange, changeCached } from './conversation-cache'
import { filterOf, type InboxFilter, narrowedBy, withFilter } from './inbox-filter'
import { focusOnOpen } from './reply-focus'
import { NOTHING_SELECTED, type Selection, toggled } from './selection'

/** Poll interval, in case a live event gets lost. */
const INBOX_POLL_MS = 10_000

/** The inbox's list, its filter, and the open conversation. */
export function useInbox(mayRead: boolean) {
  const { conversationId = null } = useParams()
  const [params, setParams] = useSearchParams()
  const navigate = useNavigate()
  const filter = filterOf(params)
  const list = useInfiniteQuery(
    api.conversations.list.infiniteOptions({
      input: (cursor: string | undefined) => ({ ...filter, cursor }),
      initialPageParam: undefined,
      getNextPageParam: ({ cursor }) => cursor ?? undefined,
      placeholderData: keepPreviousData,
      enabled: mayRead,
      refetchInterval: INBOX_POLL_MS,
    }),
  )
  const rows = list.data && rowsOf(list.data)
  const counts = list.data?.pages[0]?.counts
  const { selection, setSelection } = useSelection(filter)
  const selected = rows?.filter(({ id }) => selection.hasAll || selection.ids.has(id)) ?? []
  const search = params.size > 0 ? `?${params}` : ''
  const { openId, show } = useOpenId(conversationId)
  const open = (id: string | null) => {
    const path = id ? generatePath(paths.conversation, { conversationId: id }) : paths.inbox
    void navigate(path + search, {
      // On phones, Back returns from a conversation to the list.
      replace: openId !== null && id !== null,
      preventScrollReset: true,
      state: show(id),
    })
  }
  const current = useRef(openId)
  useLayoutEffect(() => {
    current.current = openId
  }, [openId])
  /** Opens the next person who waits for an answer, or says that nobody does. */
  const openNextWaiting = async () => {
    // The user may open someone else while more conversations are loading.
    const isCanceled = () => current.current !== openId
    // Not through the list, which would refetch all these pages again and again.
    const load = (cursor: string) => client.conversations.list({ ...filter, cursor })
    let next = nextWaiting(rowsOf(list.data), openId)
    try {
      next ??= await nextWaitingAfter(list.data?.pages.at(-1)?.cursor ?? null, openId, load, isCanceled)
    } catch (error) {
      toast.error(errorText(error, 'Failed to look for the next person. Please try again.'))
      return
    }
    if (isCanceled()) return
    if (next) {
      focusOnOpen(next.id)
      return open(next.id)
    }
    const isNarrowed = narrowedBy(filter) > 0 || filter.q || filter.status !== 'open'
    toast.info(`Nobody else ${isNarrowed ? 'in this view ' : ''}is waiting for your answer.`)
  }
  /** The conversation before or after the open one, or the first if no conversation is open. Null beyond the loaded ones. */
  const neighbor = (by: 1 | -1): Conversation | null => {
    const index = rows?.findIndex(({ id }) => id === openId) ?? -1
    if (index < 0) return rows?.[0] ?? null
    return rows?.[index + by] ?? null
  }
  return {
    filter,
    setFilter: (change: Partial<InboxFilter>) =>
      setParams(withFilter(params, change), { replace: true, preventScrollReset: true }),
    list,
    rows,
    counts,
    /** How many conversations match the filter; null if unknown. */
    total: matchCount(filter, counts, list.hasNextPage || list.isPlaceholderData ? null : (rows?.length ?? null)),
    selection,
    setSelection,
    /** The selected rows that have been loaded. */
    selected,
    select: (id: string, isRange = false) =>
      setSelection(toggled(selection, id, rows?.map((row) => row.id) ?? [], isRange)),
    search,
    openId,
    open,
    neighbor,
    openNextWaiting,
    /** Opens the next conversation or, at the end, the previous one, because the open one leaves the list. */
    openNext: () => open((neighbor(1) ?? neighbor(-1))?.id ?? null),
  }
}

type Lists = { pages: readonly { conversations: Conversation[] }[] }
const rowsOf = (data: Lists | undefined): Conversation[] => data?.pages.flatMap((page) => page.conversations) ?? []

/** The id of the open conversation. The URL follows later, but the next key must already act on the new one. */
function useOpenId(conversationId: string | null) {
  const { key, state } = useLocation()
  const isBack = useNavigationType() === 'POP'
  const [current, setCurrent] = useState({ id: conversationId, key, opened: 0 })
  if (current.key !== key) {
    const isOvertaken = !isBack && (state as Opened | null)?.opened !== undefined && state.opened < current.opened
    setCurrent({ ...current, id: isOvertaken ? current.id : conversationId, key })
  }
  return {
    openId: current.id,
    /** Opens a conversation. @returns navigation state to store with its URL */
    show(id: string | null): Opened {
      const opened = current.opened + 1
      setCurrent({ ...current, id, opened })
      return { opened }
    },
  }
}

/** Numbers the conversations opened here, so that an older URL cannot replace a newer one. */
interface Opened {
  opened: number
}

/** The selected conversations. Cleared when the filter changes. */
function useSelection(filter: InboxFilter) {
  const key = JSON.stringify(filter)
  const [stored, setStored] = useState({ key, selection: NOTHING_SELECTED })
  return {
    selection: stored.key === key ? stored.selection : NOTHING_SELECTED,
    setSelection: (selection: Selection) => setStored({ key, selection }),
  }
}

type Counts = Awaited<ReturnType<typeof client.conversations.list>>['counts']

function matchCount(filter: InboxFilter, counts: Counts | undefined, loaded: number | null): number | null {
  if (loaded !== null || filter.q || narrowedBy(filter) > 0) return loaded
  return filter.status === 'open' || filter.status === 'snoozed' ? (counts?.[filter.status] ?? null) : null
}

export type Inbox = ReturnType<typeof useInbox>
/** The inbox, for the page without an open conversation. */
export const useInboxContext = () => useOutletContext<Inbox>()

/** A conversation with its messages, newest first. */
export function useConversation(id: string) {
  return useInfiniteQuery(
    api.conversations.find.infiniteOptions({
      input: (cursor: string | undefined) => ({ id, cursor }),
      initialPageParam: undefined,
      getNextPageParam: ({ cursor }) => cursor ?? undefined,
      staleTime: 0,
      refetchInterval: INBOX_POLL_MS,
    }),
  )
}

/** The workspace's campaigns by id. */
export function useCampaignsById() {
  const campaigns = useQuery({ queryKey: CAMPAIGN_NAMES, queryFn: ({ signal }) => allCampaigns(signal) }).data
  return { campaigns, campaignOf: (id: string | null) => campaigns?.find((campaign) => campaign.id === id) }
}

/** The workspace's people (at most 100), and the user's own id. */
export function useMembers() {
  const people = useQuery(api.people.list.queryOptions({ input: { pageSize: 100 } })).data?.people ?? []
  return {
    /** Members who may read conversations, the user first. */
    members: people.filter(({ role }) => role !== 'viewer').toSorted((a, b) => Number(b.isYou) - Number(a.isYou)),
    nameOf: (id: string | null) => {
      const person = people.find((candidate) => candidate.id === id)
      return person?.isYou ? 'You' : person?.name
    },
  }
}

/** A member's change to one or more conversations. */
export type Update = Omit<Parameters<typeof client.conversations.update>[0], 'id' | 'undoId'>

interface ChangeOptions {
  /** The text of the toast. Without it, there is no toast. */
  done?: string
  /** Called after Undo. */
  onUndone?: () => void
}

/** How a change will look once saved. */
export function expectedChange({ status, snoozedUntil, label, assigneeId, isRead }: Update): ConversationChange {
  return {
    ...(status && { status, snoozedUntil: snoozedUntil ?? null }),
    // A conversation marked as done counts as read.
    ...(status === 'done' && { isUnread: false }),
    ...(label && { label, confidence: null }),
    ...(assigneeId !== undefined && { assigneeId }),
    ...(isRead !== undefined && { isUnread: !isRead }),
  }
}

/** How long a change can be undone. */
const UNDO_MS = 10_000
const MUTATION_KEY = ['changeConversation']
const DONE_TOAST = 'conversation'

/** A toast's Undo button. @param until in milliseconds since 1970 */
export function undoButton(onClick: () => void, until = Date.now() + UNDO_MS) {
  return { label: 'Undo', onClick, until }
}

/** Options for mutations that change conversations. */
export function useChanged() {
  const queries = useQueryClient()
  return {
    mutationKey: MUTATION_KEY,
    onError: (error: Error) => toast.error(errorText(error, 'Failed to change the conversation. Please try again.')),
    // Refetch only after the last concurrent change: an earlier response would briefly show the old state.
    onSettled: () =>
      queries.isMutating({ mutationKey: MUTATION_KEY }) === 1 &&
      queries.invalidateQueries({ queryKey: api.conversations.key() }),
  }
}

interface Undoable {
  text: string
  until: number
  undo: () => void
}

/** Changes that can still be undone, newest last. */
const undoables = workspaceValue<Undoable[]>([])

/** Offers to undo the latest change. Undoing it offers the one before. */
function showNewest() {
  undoables.set(undoables.get().filter(({ until }) => until > Date.now()))
  const newest = undoables.get().at(-1)
  if (!newest) return
  const onClick = () => {
    undoables.set(undoables.get().filter((other) => other !== newest))
    newest.undo()
    showNewest()
  }
  toast.success(newest.text, { id: DONE_TOAST, replaces: true, action: undoButton(onClick, newest.until) })
}

/** Shows a toast with Undo. For a few seconds, Undo reverts this change, then earlier ones, one at a time. */
export function showDone(text: string, undo: () => void): void {
  undoables.set([...undoables.get(), { text, until: Date.now() + UNDO_MS, undo }])
  showNewest()
}

/** Shows how many conversations were changed, with Undo. */
export function useDoneToast() {
  const undo = useMutation({
    ...useChanged(),
    // One at a time, because a change can only be undone after all later ones.
    scope: { id: DONE_TOAST },
    mutationFn: ({ undoId }: { undoId: string; changed: number }) => client.conversations.undoUpdate({ undoId }),
    onSuccess({ undone }, { changed }) {
      if (undone < changed)
        toast.info(
          changed === 1
            ? 'The conversation has changed since, so nothing was undone.'
            : `${formatNumber(undone)} of ${formatNumber(changed)} restored. The others have changed since.`,
        )
    },
  })
  return (text: string, done: { undoId: string; changed: number }, onUndo?: () => void) =>
    showDone(text, () => {
      undo.mutate(done)
      onUndo?.()
    })
}

/** Changes a conversation optimistically. A failure reverts it on the screen. */
export function useChangeConversation() {
  const queries = useQueryClient()
  const showDone = useDoneToast()
  const changed = useChanged()
  const call = useMutation({
    ...changed,
    async mutationFn({ id, update: { reengage, ...update }, undoId }: { id: string; update: Update; undoId: string }) {
      if (reengage) await client.conversations.update({ id, reengage, undoId, ...update })
      else await client.conversations.updateMany({ conversationIds: [id], undoId, ...update })
    },
    async onMutate({ id, update }) {
      await queries.cancelQueries({ queryKey: api.conversations.key() })
      return changeCached(queries, new Set([id]), expectedChange(update))
    },
    onError(error, _, rollBack) {
      rollBack?.()
      changed.onError(error)
    },
  })
  return {
    ...call,
    change(before: Conversation, update: Update, { done, onUndone }: ChangeOptions = {}) {
      const undoId = crypto.randomUUID()
      return call.mutateAsync({ id: before.id, update, undoId }).then(
        () => {
          if (done) showDone(done, { undoId, changed: 1 }, onUndone)
          return true
        },
        () => false,
      )
    },
  }
}
