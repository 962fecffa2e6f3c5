import { useMutation, useQuery } from '@tanstack/react-query'
import { api, client, errorWords } from '../../api'
import { paths } from '../../paths'
import { session, useSession } from '../../session'
import { toast } from '../../ui/toast'

/** Goes on in another workspace. The page is loaded anew, so that nothing of the one before stays on it. */
export function useSwitchWorkspace() {
  return useMutation({
    mutationFn: (workspaceId: string) => client.people.switch({ workspaceId }),
    onSuccess({ token, refreshToken }) {
      session.move({ token, refreshToken })
      location.assign(paths.dashboard)
    },
    onError: (error) => void toast.error(errorWords(error, 'Failed to switch the workspace. Please try again.')),
  })
}

/** The workspace one works in, and the others that one could; null while that is not known, or for guests. */
export function useWorkspaces() {
  const state = useSession()
  const id = state.status === 'signed-in' ? state.user.id : null
  const me = useQuery({ ...api.auth.me.queryOptions(), enabled: id !== null, staleTime: 5 * 60_000 })
  if (!me.data || me.data.id !== id) return null
  const { workspace, workspaces } = me.data
  return { current: workspace, others: workspaces.filter((one) => one.id !== workspace.id) }
}
