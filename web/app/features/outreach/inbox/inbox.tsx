import { Inbox as InboxIcon } from 'lucide-react'
import { useRef } from 'react'
import { Outlet } from 'react-router'
import { cn } from '../../../ui/cn'
import { EmptyState } from '../../../ui/empty-state'
import { PageHeader } from '../../../ui/page-header'
import { useKeys } from '../../../ui/use-keys'
import { useHasRole } from '../../identity/people/use-role'
import { ConversationList } from './conversation-list'
import { ConversationView } from './conversation-view'
import { EarlyKeys, useEarlyKeys } from './early-keys'
import { inboxKeys } from './inbox-keys'
import { focusReply } from './reply-focus'
import { nameOf } from './use-conversation-actions'
import { useInbox } from './use-inbox'

/** The inbox: the list of conversations, with the open one beside it. */
export default function Inbox() {
  const mayRead = useHasRole('member')
  if (mayRead === false) return <NoInbox />
  return <Columns mayRead={mayRead === true} />
}

function Columns({ mayRead }: { mayRead: boolean }) {
  const inbox = useInbox(mayRead)
  const search = useRef<HTMLInputElement>(null)
  const early = useEarlyKeys(inbox)
  const { open, neighbor, openId, rows, select } = inbox
  const opened = rows?.find(({ id }) => id === openId)
  const move = (by: 1 | -1) => {
    if (!rows) return early.press(by === 1 ? 'j' : 'k')
    const next = neighbor(by)
    if (next) open(next.id)
    // Scrolls the row into view, wherever the focus is.
    if (next) document.querySelector(`[data-conversation="${next.id}"]`)?.scrollIntoView({ block: 'nearest' })
  }
  useKeys(
    {
      j: () => move(1),
      k: () => move(-1),
      r: () => (rows || (openId && early.steps.length === 0) ? focusReply() : early.press('r')),
      x: (event) => {
        const focused = document.activeElement?.closest('[data-conversation]')?.getAttribute('data-conversation')
        const id = openId ?? focused ?? rows?.[0]?.id
        if (id) select(id, event.shiftKey)
      },
      '/': () => search.current?.focus(),
    },
    { repeated: 'jk', groups: inboxKeys },
  )
  return (
    <div className="text-ui md:grid md:h-full md:grid-cols-[17rem_minmax(0,1fr)] lg:grid-cols-[19.5rem_minmax(0,1fr)]">
      <section
        aria-label="Conversations"
        className={cn(
          'min-w-0 md:flex md:min-h-0 md:flex-col md:border-e md:border-hair',
          openId && 'max-md:invisible',
        )}
      >
        <EarlyKeys early={early} />
        <ConversationList inbox={inbox} searchRef={search} />
      </section>
      {/* Announced, because with the keyboard, the focus does not move to the conversation. */}
      <p role="status" className="sr-only">
        {opened && `Conversation with ${nameOf(opened)}`}
      </p>
      {openId ? <ConversationView key={openId} id={openId} inbox={inbox} /> : <Outlet context={inbox} />}
    </div>
  )
}

/** Shown to viewers. */
function NoInbox() {
  return (
    <div className="page-width pt-6 md:pt-19">
      <PageHeader title="Inbox" />
      <EmptyState icon={<InboxIcon />} title="Viewers have no inbox">
        Conversations are private to members and admins. An admin of this workspace can change your role.
      </EmptyState>
    </div>
  )
}
