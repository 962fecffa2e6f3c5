import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { List } from '@x-automated/contract/lists'
import { api, client, refusalWords } from '../../api'
import { useConfirm } from '../../ui/confirm'
import { toast } from '../../ui/toast'
import { usersInWords } from './list-users'

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
      onError: (error) => toast.error(refusalWords(error, words.failure)),
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
    // Who cannot be told of them is asked all the same: the server knows which it may not be taken from.
    const users =
      campaignCount > 0 ? await client.campaigns.list({ leadListId: id, pageSize: 100 }).catch(() => null) : null
    const sure = await confirm({
      title: `Delete "${name}"?`,
      body: (
        <>
          <span className="block">{words.question}</span>
          <span className="block pt-2">{words.note}</span>
          {usersInWords(users?.campaigns ?? []).map((sentence) => (
            <span key={sentence} className="block pt-2">
              {sentence}
            </span>
          ))}
        </>
      ),
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
