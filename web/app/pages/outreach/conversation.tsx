import { pageMeta } from '../../features/overview/shell/page-meta'

export const meta = () => pageMeta('Conversation', 'Your conversation with a lead.')
export const handle = { fillsPanel: true }

/** Renders nothing. The inbox renders the open conversation itself, without waiting for this route. */
export default function Conversation() {
  return null
}
