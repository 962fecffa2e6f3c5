import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useNavigate } from 'react-router'
import { api, client, errorText } from '../../../api'
import { paths } from '../../../paths'
import { toast } from '../../../ui/toast'
import { takeCodeVerifier } from '../auth/pkce'
import { linkProblem, providerName } from './link-problems'

/** Results that were already handled: codes work once, and React may run effects twice. */
const handled = new Set<string>()

/** Links the account that Google or single sign-on returned, or shows why that failed. */
export function useLinkReturn(): void {
  const queries = useQueryClient()
  const navigate = useNavigate()
  useEffect(() => {
    const query = new URLSearchParams(location.search)
    const code = query.get('code')
    const problem = linkProblem(query.get('error'))
    const mark = code ?? problem
    if (!mark || handled.has(mark)) return
    handled.add(mark)
    // Remove the parameters from the URL.
    void navigate({ pathname: paths.account, hash: 'sign-in' }, { replace: true })
    if (!code) {
      toast.error(mark)
      handled.delete(mark)
      return
    }
    const codeVerifier = takeCodeVerifier('link') ?? ''
    client.identities.link({ code, codeVerifier }).then(
      ({ provider, email }) => {
        void queries.invalidateQueries({ queryKey: api.identities.key() })
        void queries.invalidateQueries({ queryKey: api.sso.key() })
        const where = provider === 'sso' ? '(single sign-on)' : `(${providerName(provider)})`
        toast.success(`${email ?? 'Your account'} ${where} is now linked. You can sign in with it.`)
      },
      (error) => toast.error(errorText(error)),
    )
  }, [navigate, queries])
}
