import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, errorText } from '../../api'
import { toast } from '../../ui/toast'

/** X accounts of the workspace, the current one first. */
export function useAccounts() {
  return useQuery(api.xAccount.list.queryOptions())
}

/** After a change of an account everything that goes through one is asked for anew. */
export function invalidateAccounts(queries: QueryClient): Promise<void> {
  for (const queryKey of [api.campaigns.key(), api.scrapes.key()]) void queries.invalidateQueries({ queryKey })
  return queries.invalidateQueries({ queryKey: api.xAccount.key() })
}

/** Makes an account the current one. */
export function useChooseAccount() {
  const queries = useQueryClient()
  return useMutation(
    api.xAccount.choose.mutationOptions({
      onSuccess: async ({ handle }) => {
        await invalidateAccounts(queries)
        toast.success(`@${handle} is the current X account now.`, { id: 'current-x-account' })
      },
      onError: (error) => {
        void invalidateAccounts(queries)
        toast.error(errorText(error))
      },
    }),
  )
}
