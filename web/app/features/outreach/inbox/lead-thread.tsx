import { type RefObject, useState } from 'react'
import { generatePath, Link } from 'react-router'
import { paths } from '../../../paths'
import { QueryError } from '../../../query-error'
import { SkeletonText } from '../../../ui/skeleton'
import { ConversationNotices } from './conversation-notices'
import { Notes } from './notes'
import { ReplyBox } from './reply-box'
import { ThreadMessages } from './thread-messages'
import { useCampaignsById, useConversation } from './use-inbox'
import type { SentAnswer } from './use-reply'

interface LeadThreadProps {
  conversationId: string
  textarea: RefObject<HTMLTextAreaElement | null>
}

/** A lead's conversation with a field to answer, in the lead sheet. */
export function LeadThread({ conversationId, textarea }: LeadThreadProps) {
  const query = useConversation(conversationId)
  const { campaignOf } = useCampaignsById()
  const [sending, setSending] = useState<SentAnswer | null>(null)
  const conversation = query.data?.pages[0]
  if (!conversation)
    return (
      <div className="flex-1 p-6">
        {query.isError ? (
          <QueryError query={query} fallback="Failed to load the conversation. Please try again." />
        ) : (
          <SkeletonText lines={5} />
        )}
      </div>
    )
  const { messages, isEncrypted, suppression, draft, otherDrafts, campaignId } = conversation
  const last = messages[0]
  return (
    <>
      <ThreadMessages query={query} campaign={campaignOf(campaignId)} sending={sending} />
      <div className="grid shrink-0 gap-2 px-4 pb-4">
        <ConversationNotices conversation={conversation} />
        {last && !isEncrypted && suppression !== 'suppressed' && (
          <ReplyBox
            key={conversationId}
            conversation={conversation}
            lastMessageId={last.id}
            draft={draft}
            otherDrafts={otherDrafts}
            textarea={textarea}
            onSending={setSending}
          />
        )}
        <Link
          to={generatePath(paths.conversation, { conversationId })}
          className="w-fit rounded-sm text-xs text-muted underline-offset-2 hover:underline"
        >
          Open in inbox
        </Link>
      </div>
    </>
  )
}

/** The notes of a lead's conversation. */
export function LeadNotes({ conversationId }: Pick<LeadThreadProps, 'conversationId'>) {
  const notes = useConversation(conversationId).data?.pages[0]?.notes
  return notes && <Notes conversationId={conversationId} notes={notes} />
}
