import { pageMeta } from '../../features/overview/shell/page-meta'

export const meta = () => pageMeta('Conversation', 'Your conversation with a lead.')
export const handle = { fillsPanel: true }

/** Renders nothing: the inbox shows the conversation itself, at the moment at which a key opens it. */
export default function Conversation() {
  return null
}
