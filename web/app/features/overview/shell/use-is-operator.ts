import { useQuery } from '@tanstack/react-query'
import { api } from '../../../api'
import { useSession } from '../../../session'

/** Whether the user is an operator; null if unknown. */
export function useIsOperator(): boolean | null {
  const state = useSession()
  const id = state.status === 'signed-in' ? state.user.id : null
  const me = useQuery({ ...api.auth.me.queryOptions(), enabled: id !== null, staleTime: 5 * 60_000 })
  if (state.status === 'starting') return null
  if (id === null) return false
  // The cache may belong to another account.
  if (me.data?.id === id) return me.data.operator === true
  return me.isError ? false : null
}
