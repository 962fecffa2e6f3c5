import { useQuery } from '@tanstack/react-query'
import { ShieldCheck } from 'lucide-react'
import { api, client } from '../../../api'
import { Button } from '../../../ui/button'
import { useRedirect } from '../../../use-action'
import { requireCodeChallenge } from '../auth/pkce'

/** One button per workspace whose single sign-on isn't linked yet. */
export function LinkSingleSignOn() {
  const own = useQuery(api.sso.listOwn.queryOptions())
  const begin = useRedirect(
    async (workspaceId: string) =>
      client.sso.beginLink({ workspaceId, codeChallenge: await requireCodeChallenge('link') }),
    "We couldn't start single sign-on. Please try again.",
  )
  const workspaces = own.data?.workspaces ?? []
  return workspaces
    .filter(({ linked }) => !linked)
    .map(({ id, name }) => (
      <Button
        key={id}
        size="sm"
        icon={<ShieldCheck aria-hidden />}
        loading={begin.isLeaving && begin.variables === id}
        onClick={() => begin.run(id)}
      >
        Link single sign-on{workspaces.length > 1 && ` of ${name}`}
      </Button>
    ))
}
