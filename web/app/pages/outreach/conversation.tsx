import { pageMeta } from '../../features/overview/shell/page-meta'

export const meta = () => pageMeta('Conversation', 'Your conversation with a lead.')
export const handle = { fillsPanel: true }

/** The inbox shows the conversation itself, in the same step as a key opens it. */
export default function Conversation() {
  return null
}
