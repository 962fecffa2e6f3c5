import { useInboxContext } from '../../features/outreach/inbox/use-inbox'
import { pageMeta } from '../../features/overview/shell/page-meta'
import { Kbd } from '../../ui/kbd'

export const meta = () => pageMeta('Inbox', 'Replies from your leads, labeled and ready to answer.')
export const handle = { fillsPanel: true }

/** Shown next to the list while no conversation is open. */
export default function Inbox() {
  const { rows, list } = useInboxContext()
  return (
    <div className="grid place-content-center justify-items-center gap-2 p-6 text-center text-muted max-md:hidden">
      {rows && rows.length > 0 && !list.isPlaceholderData && (
        <p className="flex items-center gap-1.5">
          Choose a conversation, or press <Kbd>J</Kbd>
        </p>
      )}
    </div>
  )
}
