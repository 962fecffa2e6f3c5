import { ORPCError } from '@orpc/client'
import { useMutation } from '@tanstack/react-query'
import type { SwitchProof } from '@x-automated/contract/identity/people'
import { client, errorCode, errorText } from '../../../api'
import { paths } from '../../../paths'
import { showFailure, useReauthentication } from '../../../reauthentication'
import { session } from '../../../session'
import { usePageRestored } from '../../../ui/use-page-restored'
import { requireCodeChallenge } from '../auth/pkce'

/** Switches workspaces, then reloads. @param onQuestion called before reauthentication */
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
      // The browser is being redirected to the identity provider.
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
