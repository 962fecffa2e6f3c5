import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { FirstSteps } from '@x-automated/contract/overview/first-steps'
import { useEffect } from 'react'
import { api, errorText } from '../../../api'
import { localStorage } from '../../../browser-storage'
import { isInitialLoading } from '../../../initial-loading'
import { toast } from '../../../ui/toast'
import { HIDDEN_KEY } from './hidden-key'

/** Whether there are steps to show. */
export function hasVisibleSteps({ dismissed, steps }: FirstSteps): boolean {
  return !dismissed && steps.some(({ done }) => !done)
}

/** Whether the checklist is docked: not dismissed, and no message of a campaign has been sent yet. */
export function isDocked({ dismissed, isMessageSent }: FirstSteps): boolean {
  return !dismissed && !isMessageSent
}

/** Whether the workspace has leads that are not sample data. */
export function hasOwnLeads({ steps }: FirstSteps): boolean {
  return steps.some(({ step, done }) => step === 'find_leads' && done)
}

/** Onboarding progress. If the last visit had no steps to show, `isLoading` stays false. */
export function useFirstSteps() {
  const queries = useQueryClient()
  const key = api.firstSteps.find.queryKey()
  // Always refetch, because steps are completed on other pages.
  const query = useQuery(api.firstSteps.find.queryOptions({ staleTime: 0 }))
  const firstSteps = query.data
  const isLoading = isInitialLoading(query) && localStorage.getItem(HIDDEN_KEY) === null
  useEffect(() => {
    if (!firstSteps) return
    if (isDocked(firstSteps)) localStorage.removeItem(HIDDEN_KEY)
    else localStorage.setItem(HIDDEN_KEY, 'true')
  }, [firstSteps])
  const save = useMutation(
    api.firstSteps.update.mutationOptions({
      // Shows the change immediately; a failure reverts it.
      onMutate({ dismissed }) {
        const before = queries.getQueryData(key)
        queries.setQueryData(key, (old) => old && { ...old, dismissed })
        return { before }
      },
      onSuccess: (saved) => queries.setQueryData(key, saved),
      onError(error, _, context) {
        queries.setQueryData(key, context?.before)
        toast.error(errorText(error, 'Failed to save. Please try again.'))
      },
    }),
  )
  const bringBack = () => save.mutate({ dismissed: false })
  const dismiss = () => {
    save.mutate({ dismissed: true })
    // The focused button disappears together with the steps.
    document.getElementById('content')?.focus({ preventScroll: true })
    toast.info('First steps are hidden.', {
      action: { label: 'Undo', onClick: bringBack },
    })
  }
  return { found: firstSteps, isLoading, dismiss, bringBack }
}
