import { ORPCError } from '@orpc/client'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { SwitchProof } from '@x-automated/contract/identity/people'
import { api, client, errorCode, errorText } from '../../../api'
import { paths } from '../../../paths'
import { session, useSession } from '../../../session'
import { usePageRestored } from '../../../ui/use-page-restored'
import { requireCodeChallenge } from '../auth/pkce'
import { showFailure, useReauthentication } from '../auth/reauthentication'

/**
 * Switches workspaces and reloads the page, after single sign-on if required.
 * @param onQuestion called before reauthentication
 */
export function useSwitchWorkspace(onQuestion?: () => void) {
  const withReauthentication = useReauthentication()
  const switching = useMutation({
    mutationFn: (workspaceId: string) =>
      withReauthentication(
        () => switchTo(workspaceId),
        (error) => {
          onQuestion?.()
          const leave = () => leaveForSingleSignOn(workspaceId)
          return { text: errorText(error), singleSignOn: singleSignOnOf(error) ? leave : undefined }
        },
      ),
    onSuccess(moved) {
      // Redirecting to the identity provider.
      if (moved === 'leaving') return
      session.move({ token: moved.token, refreshToken: moved.refreshToken })
      location.assign(paths.dashboard)
    },
    onError: (error) => showFailure(error, 'Failed to switch workspaces. Please try again.'),
  })
  usePageRestored(switching.reset)
  return switching
}

async function switchTo(workspaceId: string) {
  try {
    return await client.people.switch({ workspaceId })
  } catch (error) {
    if (singleSignOnOf(error) !== 'same') throw error
    await leaveForSingleSignOn(workspaceId)
    return 'leaving' as const
  }
}

/** The single sign-on that gives access to the workspace, or null. */
function singleSignOnOf(error: unknown): SwitchProof['singleSignOn'] {
  if (errorCode(error) !== 'REAUTHENTICATION_NEEDED' || !(error instanceof ORPCError)) return null
  return (error.data as SwitchProof | undefined)?.singleSignOn ?? null
}

async function leaveForSingleSignOn(workspaceId: string): Promise<void> {
  const codeChallenge = await requireCodeChallenge('sso')
  const { url } = await client.sso.begin({ workspaceId, codeChallenge })
  location.assign(url)
}

/** The current workspace and the others; null for guests and until known. */
export function useWorkspaces() {
  const state = useSession()
  const id = state.status === 'signed-in' ? state.user.id : null
  const me = useQuery({ ...api.auth.me.queryOptions(), enabled: id !== null, staleTime: 5 * 60_000 })
  if (!me.data || me.data.id !== id) return null
  const { workspace, workspaces } = me.data
  return { current: workspace, others: workspaces.filter((one) => one.id !== workspace.id) }
}
