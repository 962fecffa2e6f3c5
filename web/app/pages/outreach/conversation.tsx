import { useParams } from 'react-router'
import { ConversationView } from '../../features/outreach/inbox/conversation-view'
import { pageMeta } from '../../features/overview/shell/page-meta'

export const meta = () => pageMeta('Conversation', 'Your conversation with a lead.')
export const handle = { fillsPanel: true }

export default function Conversation() {
  const { conversationId: id = '' } = useParams()
  return <ConversationView key={id} id={id} />
}
