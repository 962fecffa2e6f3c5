import { useMutation, useQuery } from '@tanstack/react-query'
import { ShieldCheck } from 'lucide-react'
import { api, client } from '../../../api'
import { Button } from '../../../ui/button'
import { usePageRestored } from '../../../ui/use-page-restored'
import { requireCodeChallenge } from '../auth/pkce'
import { showFailure, useReauthentication } from '../auth/reauthentication'

/** A button for each workspace whose single sign-on isn't linked yet. */
export function LinkSingleSignOn() {
  const withReauthentication = useReauthentication()
  const own = useQuery(api.sso.listOwn.queryOptions())
  const begin = useMutation({
    async mutationFn(workspaceId: string) {
      const codeChallenge = await requireCodeChallenge('link')
      return withReauthentication(() => client.sso.beginLink({ workspaceId, codeChallenge }))
    },
    onSuccess: ({ url }) => location.assign(url),
    onError: (error) => showFailure(error, "We couldn't start single sign-on. Please try again."),
  })
  usePageRestored(begin.reset)
  const workspaces = own.data?.workspaces ?? []
  return workspaces
    .filter(({ linked }) => !linked)
    .map(({ id, name }) => (
      <Button
        key={id}
        size="sm"
        icon={<ShieldCheck aria-hidden />}
        loading={(begin.isPending || begin.isSuccess) && begin.variables === id}
        onClick={() => begin.mutate(id)}
      >
        Link single sign-on{workspaces.length > 1 && ` of ${name}`}
      </Button>
    ))
}
