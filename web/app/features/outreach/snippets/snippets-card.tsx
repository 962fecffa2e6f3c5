import { useQuery } from '@tanstack/react-query'
import type { Snippet } from '@x-automated/contract/outreach/snippets'
import { MessageSquareText, Pencil, Plus, Trash2 } from 'lucide-react'
import { api, client } from '../../../api'
import { QueryError } from '../../../query-error'
import { Button, IconButton } from '../../../ui/button'
import { Card } from '../../../ui/card'
import { EmptyState } from '../../../ui/empty-state'
import { SkeletonText } from '../../../ui/skeleton'
import { useDialogs } from '../../../ui/use-dialogs'
import { useFocusFallback } from '../../../ui/use-focus-fallback'
import { useAction } from '../../../use-action'
import { useHasRole } from '../../identity/people/use-role'
import { SnippetDialog } from './snippet-dialog'

/** The workspace's snippets. Members can change their own, admins can change all. */
export function SnippetsCard() {
  const query = useQuery(api.snippets.list.queryOptions())
  const me = useQuery(api.auth.me.queryOptions()).data?.id
  const isAdmin = useHasRole('admin')
  const dialogs = useDialogs<Snippet | null>()
  const remove = useAction(({ id }: Snippet) => client.snippets.remove({ id }), {
    question: ({ shortcut }) => ({
      title: `Delete the snippet “${shortcut}”?`,
      body: "Messages that used it don't change.",
      confirm: 'Delete snippet',
      danger: true,
    }),
    done: 'Snippet deleted.',
    failed: 'Failed to delete the snippet. Please try again.',
    refetches: [api.snippets],
  })
  const add = (
    <Button size="sm" icon={<Plus aria-hidden />} onClick={() => dialogs.show(null)}>
      New snippet
    </Button>
  )
  const snippets = query.data?.snippets
  const focusFallback = useFocusFallback<HTMLElement>()
  return (
    <Card
      {...focusFallback}
      title="Snippets"
      description="Replies you send often, for everyone in the workspace."
      actions={add}
    >
      {query.isError && !snippets ? (
        <QueryError query={query} fallback="Failed to load the snippets. Please try again." />
      ) : !snippets ? (
        <SkeletonText lines={3} />
      ) : snippets.length === 0 ? (
        <EmptyState icon={<MessageSquareText aria-hidden />} title="No snippets yet">
          Save the replies you write again and again.
        </EmptyState>
      ) : (
        <ul aria-label="Snippets" className="grid divide-y divide-line">
          {snippets.map((snippet) => (
            <li key={snippet.id} className="flex items-start gap-3 py-2.5">
              <div className="grid min-w-0 flex-1 gap-0.5">
                <p className="font-strong wrap-anywhere">/{snippet.shortcut}</p>
                <p className="line-clamp-2 wrap-anywhere text-muted">{snippet.text}</p>
              </div>
              {(isAdmin || snippet.authorId === me) && (
                <>
                  <IconButton
                    size="sm"
                    icon={<Pencil />}
                    label={`Edit /${snippet.shortcut}`}
                    onClick={() => dialogs.show(snippet)}
                  />
                  <IconButton
                    size="sm"
                    icon={<Trash2 />}
                    label={`Delete /${snippet.shortcut}`}
                    onClick={() => remove.run(snippet)}
                  />
                </>
              )}
            </li>
          ))}
        </ul>
      )}
      {dialogs.render((snippet, props) => (
        <SnippetDialog snippet={snippet} {...props} />
      ))}
    </Card>
  )
}
