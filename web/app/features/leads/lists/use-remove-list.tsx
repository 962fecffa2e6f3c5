import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { List } from '@x-automated/contract/leads/lists'
import { Suspense, use } from 'react'
import { api, client, refusalText } from '../../../api'
import { useConfirm } from '../../../ui/confirm'
import { toast } from '../../../ui/toast'
import { campaignWarnings } from './campaign-warnings'

/** Skips the warnings after this time; the server rejects forbidden deletions anyway. */
const WARNINGS_WITHIN_MS = 4_000

interface RemovalText {
  question: string
  /** What happens to the leads. */
  note: string
  confirm: string
  failure: string
  done: (name: string) => string
}

/** Deletes a list after a confirmation that names the campaigns using it. */
export function useRemoveList(text: RemovalText) {
  const queries = useQueryClient()
  const confirm = useConfirm()
  const removal = useMutation(
    api.lists.remove.mutationOptions({
      onError: (error) => toast.error(refusalText(error, text.failure)),
      // Campaigns show N/A for a deleted list.
      onSettled: () =>
        Promise.all([
          queries.invalidateQueries({ queryKey: api.lists.key() }),
          queries.invalidateQueries({ queryKey: api.campaigns.key() }),
        ]),
    }),
  )
  const remove = async ({ id, name, campaignCount }: List, onRemoved?: () => void) => {
    const warnings = campaignCount > 0 ? fetchWarnings(id) : undefined
    const sure = await confirm({
      title: `Delete “${name}”?`,
      body: (
        <>
          <span className="block">{text.question}</span>
          <span className="block pt-2">{text.note}</span>
          {warnings && (
            <span className="block" aria-live="polite">
              <Suspense fallback={<span className="block pt-2">Checking which campaigns use it…</span>}>
                <Warnings promise={warnings} />
              </Suspense>
            </span>
          )}
        </>
      ),
      after: warnings,
      confirm: text.confirm,
      danger: true,
    })
    if (!sure) return
    removal.mutate(
      { id },
      {
        onSuccess: () => {
          toast.success(text.done(name))
          onRemoved?.()
        },
      },
    )
  }
  return { remove, removing: removal.isPending ? removal.variables.id : null }
}

/** Warnings about the campaigns that use a list; none if they can't be fetched in time. */
async function fetchWarnings(leadListId: string): Promise<string[]> {
  try {
    const signal = AbortSignal.timeout(WARNINGS_WITHIN_MS)
    const { campaigns, total } = await client.campaigns.list({ leadListId, pageSize: 100 }, { signal })
    return campaignWarnings(campaigns, total)
  } catch {
    return []
  }
}

function Warnings({ promise }: { promise: Promise<string[]> }) {
  return use(promise).map((sentence) => (
    <span key={sentence} className="block pt-2">
      {sentence}
    </span>
  ))
}
