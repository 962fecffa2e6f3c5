import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, errorWords } from '../../api'
import { toast } from '../../ui/toast'

/** How far the workspace is on the way to its first campaign, and the way to put that away. Undefined while it is not known. */
export function useFirstSteps() {
  const queries = useQueryClient()
  const key = api.firstSteps.find.queryKey()
  // Steps are taken on other pages: whoever comes back sees them ticked off.
  const found = useQuery(api.firstSteps.find.queryOptions({ staleTime: 0 })).data
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
        toast.error(errorWords(error, 'Failed to save. Please try again.'))
      },
    }),
  )
  const dismiss = () => {
    save.mutate({ dismissed: true })
    toast.info('First steps are hidden.', {
      action: { label: 'Undo', onClick: () => save.mutate({ dismissed: false }) },
    })
  }
  return { found, dismiss }
}
