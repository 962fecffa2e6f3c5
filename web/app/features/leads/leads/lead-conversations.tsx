import { useQuery } from '@tanstack/react-query'
import { ChevronRight } from 'lucide-react'
import { generatePath, Link } from 'react-router'
import { api } from '../../../api'
import { paths } from '../../../paths'
import { DateTime } from '../../../ui/date-time'
import { useHasRole } from '../../identity/people/use-role'
import { useAccounts } from '../../platform/x-account/use-accounts'
import { LABEL_NAMES, missingText } from './history-text'

/** The lead's conversations, one per X account. Empty for viewers and while loading. */
export function useLeadConversations(leadId: string | undefined) {
  const mayRead = useHasRole('member') === true
  const conversations = useQuery(
    api.conversations.list.queryOptions({ input: { leadId }, enabled: mayRead && leadId !== undefined }),
  )
  return conversations.data?.conversations ?? []
}

type Conversations = ReturnType<typeof useLeadConversations>

/** The latest message of each conversation, with a link to answer it. */
export function LeadConversations({ conversations }: { conversations: Conversations }) {
  const accounts = useAccounts().data?.accounts ?? []
  return conversations.map(({ id, lastMessage, label, xAccountId, isEncrypted }) => (
    <Link
      key={id}
      to={generatePath(paths.conversation, { conversationId: id })}
      className="flex items-center gap-3 rounded-lg border border-line px-4 py-3 transition-colors hover:bg-hover"
    >
      <span className="grid min-w-0 flex-1 gap-0.5">
        <span className="flex items-baseline justify-between gap-3 text-xs text-muted">
          <span className="truncate">
            {['Conversation', label && LABEL_NAMES[label]].filter(Boolean).join(' · ')}
            {accounts.length > 1 && ` · @${accounts.find((account) => account.id === xAccountId)?.handle ?? ''}`}
          </span>
          <DateTime value={lastMessage.at} className="shrink-0" />
        </span>
        <span className="line-clamp-2 wrap-anywhere">
          {lastMessage.isOurs && 'You: '}
          <bdi>{lastMessage.text ?? missingText({ isEncrypted })}</bdi>
        </span>
      </span>
      <ChevronRight aria-hidden className="size-4 shrink-0 text-muted" />
    </Link>
  ))
}
