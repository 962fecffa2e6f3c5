import { ORPCError } from '@orpc/client'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { SwitchProof } from '@x-automated/contract/people'
import { api, client, errorCode, errorText } from '../../api'
import { paths } from '../../paths'
import { session, useSession } from '../../session'
import { usePageRestored } from '../../ui/use-page-restored'
import { newCodeChallenge } from '../auth/pkce'
import { showFailure, useReauthentication } from '../auth/reauthentication'

/**
 * Switches to another workspace. The page is reloaded, so that nothing of the previous one stays on it.
 * From single sign-on, the other workspace asks for its own proof; the same identity provider gives it unasked.
 * @param onQuestion called before the person is asked who they are
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
      // The identity provider asks now: the page is being left.
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

/** The single sign-on by which a workspace can be entered that asks for a proof; null if there is none. */
function singleSignOnOf(error: unknown): SwitchProof['singleSignOn'] {
  if (errorCode(error) !== 'REAUTHENTICATION_NEEDED' || !(error instanceof ORPCError)) return null
  return (error.data as SwitchProof | undefined)?.singleSignOn ?? null
}

async function leaveForSingleSignOn(workspaceId: string): Promise<void> {
  const codeChallenge = await newCodeChallenge('sso')
  if (!codeChallenge) throw new Error('This page needs HTTPS: the browser offers no cryptography.')
  const { url } = await client.sso.begin({ workspaceId, codeChallenge })
  location.assign(url)
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
