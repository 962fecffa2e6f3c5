import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { List } from '@x-automated/contract/lists'
import { Suspense, use } from 'react'
import { api, client, refusalText } from '../../api'
import { useConfirm } from '../../ui/confirm'
import { toast } from '../../ui/toast'
import { campaignWarnings } from './campaign-warnings'

/** Whoever deletes is not kept from it for longer, in milliseconds: the server knows what a list may not be taken from. */
const USERS_WITHIN_MS = 4_000

interface RemovalWords {
  question: string
  /** What happens to the leads. */
  note: string
  confirm: string
  failure: string
  done: (name: string) => string
}

/** Deletes a list once it is confirmed. */
export function useRemoveList(words: RemovalWords) {
  const queries = useQueryClient()
  const confirm = useConfirm()
  const removal = useMutation(
    api.lists.remove.mutationOptions({
      onError: (error) => toast.error(refusalText(error, words.failure)),
      // Campaigns that wrote to it say N/A now.
      onSettled: () =>
        Promise.all([
          queries.invalidateQueries({ queryKey: api.lists.key() }),
          queries.invalidateQueries({ queryKey: api.campaigns.key() }),
        ]),
    }),
  )
  /** @param onRemoved called once it is gone */
  const remove = async ({ id, name, campaignCount }: List, onRemoved?: () => void) => {
    const users = campaignCount > 0 ? askForUsers(id) : undefined
    const sure = await confirm({
      title: `Delete "${name}"?`,
      body: (
        <>
          <span className="block">{words.question}</span>
          <span className="block pt-2">{words.note}</span>
          {users && (
            <span className="block" aria-live="polite">
              <Suspense fallback={<span className="block pt-2">Looking for campaigns that use it…</span>}>
                <Users asked={users} />
              </Suspense>
            </span>
          )}
        </>
      ),
      after: users,
      confirm: words.confirm,
      danger: true,
    })
    if (!sure) return
    removal.mutate(
      { id },
      {
        onSuccess: () => {
          toast.success(words.done(name))
          onRemoved?.()
        },
      },
    )
  }
  return { remove, removing: removal.isPending ? removal.variables.id : null }
}

/** In words what becomes of the campaigns of a list; none where nobody can tell of them in time. */
async function askForUsers(leadListId: string): Promise<string[]> {
  try {
    const signal = AbortSignal.timeout(USERS_WITHIN_MS)
    const { campaigns, total } = await client.campaigns.list({ leadListId, pageSize: 100 }, { signal })
    return campaignWarnings(campaigns, total)
  } catch {
    return []
  }
}

function Users({ asked }: { asked: Promise<string[]> }) {
  return use(asked).map((sentence) => (
    <span key={sentence} className="block pt-2">
      {sentence}
    </span>
  ))
}
