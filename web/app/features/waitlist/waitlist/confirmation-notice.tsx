import { useSearchParams } from 'react-router'
import { Callout } from '../../../ui/callout'
import { useHydrated } from '../../../ui/use-hydrated'

/** The result of a confirmation link. The link redirects to /waitlist with `confirmed` or `error`. */
export function ConfirmationNotice() {
  const [params] = useSearchParams()
  if (!useHydrated()) return null
  if (params.has('confirmed')) return <Callout tone="good">Your email address is confirmed.</Callout>
  if (params.get('error') === 'INVALID_CODE') return <Callout tone="bad">This link is invalid or has expired.</Callout>
  return null
}
