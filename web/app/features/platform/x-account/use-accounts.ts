import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, errorText } from '../../../api'
import { toast } from '../../../ui/toast'

/** The workspace's X accounts, the current one first. */
export function useAccounts() {
  return useQuery(api.xAccount.list.queryOptions())
}

/** Refetches everything that depends on an X account. */
export function invalidateAccounts(queries: QueryClient): Promise<void> {
  for (const queryKey of [api.campaigns.key(), api.scrapes.key()]) void queries.invalidateQueries({ queryKey })
  return queries.invalidateQueries({ queryKey: api.xAccount.key() })
}

/** Switches the current account. */
export function useChooseAccount() {
  const queries = useQueryClient()
  return useMutation(
    api.xAccount.choose.mutationOptions({
      onSuccess: async ({ handle }) => {
        await invalidateAccounts(queries)
        toast.success(`Switched to @${handle}.`, { id: 'current-x-account' })
      },
      onError: (error) => {
        void invalidateAccounts(queries)
        toast.error(errorText(error))
      },
    }),
  )
}
