import type { InfiniteData, QueryClient } from '@tanstack/react-query'
import type { Conversation } from '@x-automated/contract/outreach/conversations'
import { api, type client } from '../../../api'
import type { InboxFilter } from './inbox-filter'

type Lists = InfiniteData<Awaited<ReturnType<typeof client.conversations.list>>>
type Found = InfiniteData<Awaited<ReturnType<typeof client.conversations.find>>>

/** What a person changes about a conversation. */
export type ConversationChange = Partial<
  Pick<Conversation, 'status' | 'snoozedUntil' | 'label' | 'confidence' | 'assigneeId' | 'isUnread'>
>

/** Shows a change in everything that is cached, before the server has answered. */
export function changeCached(queries: QueryClient, ids: ReadonlySet<string>, change: ConversationChange): void {
  for (const query of queries.getQueryCache().findAll({ queryKey: api.conversations.list.key({ type: 'infinite' }) })) {
    const status = (query.queryKey[1] as { input?: InboxFilter } | undefined)?.input?.status
    queries.setQueryData<Lists>(
      query.queryKey,
      (data) => data && { ...data, pages: changePages(data.pages, ids, change, status) },
    )
  }
  queries.setQueriesData<Found>(
    { queryKey: api.conversations.find.key({ type: 'infinite' }) },
    (data) => data && { ...data, pages: data.pages.map((page) => (ids.has(page.id) ? { ...page, ...change } : page)) },
  )
}

/** Keeps the draft with the cached conversation, for when it is opened again. */
export function cacheDraft(queries: QueryClient, id: string, text: string): void {
  const draft = text === '' ? null : { text, updatedAt: new Date().toISOString() }
  queries.setQueriesData<Found>(
    { queryKey: api.conversations.find.key({ type: 'infinite' }) },
    (data) => data && { ...data, pages: data.pages.map((page) => (page.id === id ? { ...page, draft } : page)) },
  )
}

/** Pages of a list after a change; conversations whose status no longer matches leave it. */
export function changePages<Page extends { conversations: Conversation[] }>(
  pages: Page[],
  ids: ReadonlySet<string>,
  change: ConversationChange,
  status: Conversation['status'] | undefined,
): Page[] {
  const leaves = change.status !== undefined && status !== undefined && change.status !== status
  return pages.map((page) => ({
    ...page,
    conversations: leaves
      ? page.conversations.filter((one) => !ids.has(one.id))
      : page.conversations.map((one) => (ids.has(one.id) ? { ...one, ...change } : one)),
  }))
}
