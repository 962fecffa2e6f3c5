import { useQuery } from '@tanstack/react-query'
import { api } from '../../../api'
import { useSession } from '../../../session'

/** The current workspace and the others. Null for guests and while unknown. */
export function useWorkspaces() {
  const state = useSession()
  const id = state.status === 'signed-in' ? state.user.id : null
  const me = useQuery({ ...api.auth.me.queryOptions(), enabled: id !== null, staleTime: 5 * 60_000 })
  if (!me.data || me.data.id !== id) return null
  const { workspace, workspaces } = me.data
  return { current: workspace, others: workspaces.filter((other) => other.id !== workspace.id) }
}
