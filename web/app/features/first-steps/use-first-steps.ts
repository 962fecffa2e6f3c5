import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { FirstSteps } from '@x-automated/contract/first-steps'
import { useEffect } from 'react'
import { api, errorText } from '../../api'
import { localStorage } from '../../browser-storage'
import { isInitialLoading } from '../../initial-loading'
import { toast } from '../../ui/toast'

/** In local storage: the steps were not to be shown when this browser asked last. */
const GONE = 'firstStepsGone'

/** Are there steps to show? */
export function isShown({ dismissed, steps }: FirstSteps): boolean {
  return !dismissed && steps.some(({ done }) => !done)
}

/**
 * How far the workspace is on the way to its first campaign, and the way to put that away and to bring it back. `found` is undefined
 * while it is not known; then `isComing` says whether it is to be waited for, by what this browser was told last.
 */
export function useFirstSteps() {
  const queries = useQueryClient()
  const key = api.firstSteps.find.queryKey()
  // Steps are taken on other pages: whoever comes back sees them ticked off.
  const query = useQuery(api.firstSteps.find.queryOptions({ staleTime: 0 }))
  const found = query.data
  const isComing = isInitialLoading(query) && localStorage.getItem(GONE) === null
  useEffect(() => {
    if (!found) return
    if (isShown(found)) localStorage.removeItem(GONE)
    else localStorage.setItem(GONE, 'true')
  }, [found])
  const save = useMutation(
    api.firstSteps.update.mutationOptions({
      // Shown at once, and taken back if it fails.
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
    // What had the focus is gone with them.
    document.getElementById('content')?.focus({ preventScroll: true })
    toast.info('First steps are hidden.', {
      action: { label: 'Undo', onClick: bringBack },
    })
  }
  return { found, isComing, dismiss, bringBack }
}
