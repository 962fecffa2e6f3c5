import type { InfiniteData, QueryClient } from '@tanstack/react-query'
import type { Conversation } from '@x-automated/contract/outreach/conversations'
import { api, type client } from '../../../api'
import type { InboxFilter } from './inbox-filter'

type Lists = InfiniteData<Awaited<ReturnType<typeof client.conversations.list>>>
type ConversationPages = InfiniteData<Awaited<ReturnType<typeof client.conversations.find>>>

/** What a member can change about a conversation. */
export type ConversationChange = Partial<
  Pick<Conversation, 'status' | 'snoozedUntil' | 'label' | 'confidence' | 'assigneeId' | 'isUnread'>
>

/** Shows a change in all cached data before the server responds. @returns a rollback */
export function changeCached(queries: QueryClient, ids: ReadonlySet<string>, change: ConversationChange): () => void {
  const lists = queries.getQueriesData<Lists>({ queryKey: api.conversations.list.key({ type: 'infinite' }) })
  const details = queries.getQueriesData<ConversationPages>({
    queryKey: api.conversations.find.key({ type: 'infinite' }),
  })
  for (const [queryKey] of lists) {
    const status = (queryKey[1] as { input?: InboxFilter } | undefined)?.input?.status
    queries.setQueryData<Lists>(
      queryKey,
      (data) => data && { ...data, pages: changePages(data.pages, ids, change, status) },
    )
  }
  queries.setQueriesData<ConversationPages>(
    { queryKey: api.conversations.find.key({ type: 'infinite' }) },
    (data) => data && { ...data, pages: data.pages.map((page) => (ids.has(page.id) ? { ...page, ...change } : page)) },
  )
  return () => {
    for (const [queryKey, before] of lists)
      queries.setQueryData<Lists>(
        queryKey,
        (data) => data && before && { ...data, pages: restorePages(data.pages, before.pages, ids) },
      )
    for (const [queryKey, before] of details) {
      const was = before?.pages.find(({ id }) => ids.has(id))
      // Restore only these fields: others, such as the draft, may have changed in the meantime.
      const back = was && Object.fromEntries(Object.keys(change).map((key) => [key, was[key as keyof typeof change]]))
      if (back)
        queries.setQueryData<ConversationPages>(
          queryKey,
          (data) => data && { ...data, pages: data.pages.map((page) => ({ ...page, ...back })) },
        )
    }
  }
}

/** Stores the draft with the cached conversation, in case the conversation is opened again. */
export function cacheDraft(queries: QueryClient, id: string, text: string): void {
  const draft = text === '' ? null : { text, updatedAt: new Date().toISOString() }
  queries.setQueriesData<ConversationPages>(
    { queryKey: api.conversations.find.key({ type: 'infinite' }) },
    (data) => data && { ...data, pages: data.pages.map((page) => (page.id === id ? { ...page, draft } : page)) },
  )
}

/** A list's pages after a change. Conversations whose status no longer matches are removed. */
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
      ? page.conversations.filter((conversation) => !ids.has(conversation.id))
      : page.conversations.map((conversation) =>
          ids.has(conversation.id) ? { ...conversation, ...change } : conversation,
        ),
  }))
}

/** A list's pages with these conversations restored to their previous state and position. */
export function restorePages<Page extends { conversations: Conversation[] }>(
  pages: Page[],
  before: readonly Page[],
  ids: ReadonlySet<string>,
): Page[] {
  return pages.map((page, index) => {
    const others = page.conversations.filter((conversation) => !ids.has(conversation.id))
    const was = before[index]?.conversations ?? []
    const conversations = was.reduceRight((restored, conversation, position) => {
      if (!ids.has(conversation.id)) return restored
      const after = new Set(was.slice(position + 1).map(({ id }) => id))
      const next = restored.findIndex(({ id }) => after.has(id))
      return restored.toSpliced(next < 0 ? restored.length : next, 0, conversation)
    }, others)
    return { ...page, conversations }
  })
}
