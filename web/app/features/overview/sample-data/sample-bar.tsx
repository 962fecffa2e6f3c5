import { useQuery } from '@tanstack/react-query'
import { FlaskConical } from 'lucide-react'
import { Link, useNavigate } from 'react-router'
import { api, client } from '../../../api'
import { paths } from '../../../paths'
import { Button } from '../../../ui/button'
import { useAction } from '../../../use-action'
import { useIsOffered } from '../../identity/people/use-role'
import { useAccounts } from '../../platform/x-account/use-accounts'

/**
 * Says that a page shows sample data, which owners can remove.
 * @param leaveTo where to go if removing it deletes the page
 */
export default function SampleBar({ leaveTo }: { leaveTo?: string }) {
  const isOffered = useIsOffered('owner')
  const navigate = useNavigate()
  const remove = useAction(() => client.sampleData.remove(), {
    question: {
      title: 'Remove the sample data?',
      body: 'Its leads, lists, campaigns and conversations are deleted. Sample leads are also removed from your lists. Everything else stays.',
      confirm: 'Remove sample data',
      danger: true,
    },
    done: 'Sample data removed.',
    failed: 'Failed to remove the sample data. Please try again.',
    onSuccess() {
      if (leaveTo) void navigate(leaveTo)
      // The focused button disappears together with the bar.
      document.getElementById('content')?.focus({ preventScroll: true })
    },
    refetches: [api],
  })
  return (
    <section
      aria-label="Sample data"
      className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-1 text-muted text-ui [&>svg]:size-4"
    >
      <FlaskConical aria-hidden />
      You are looking at sample data.
      {isOffered && <MissingConversations />}
      {isOffered && (
        <Button size="sm" variant="ghost" loading={remove.isPending} onClick={() => remove.run()}>
          Remove it
        </Button>
      )}
    </section>
  )
}

/** Says that sample conversations require an X account, and adds them once there is one. */
function MissingConversations() {
  const accounts = useAccounts().data?.accounts
  const { data } = useQuery(api.conversations.list.queryOptions({ input: { pageSize: 1 } }))
  const add = useAction(() => client.sampleData.load(), {
    done: 'The sample conversations are in your inbox.',
    failed: 'Failed to load sample data. Please try again.',
    refetches: [api],
  })
  if (!accounts || data?.conversations.length !== 0) return null
  if (accounts.length === 0)
    return (
      <Link to={paths.xAutomation} className="text-link">
        Connect X to see its conversations
      </Link>
    )
  return (
    <Button size="sm" variant="ghost" loading={add.isPending} onClick={() => add.run()}>
      Add its conversations
    </Button>
  )
}
