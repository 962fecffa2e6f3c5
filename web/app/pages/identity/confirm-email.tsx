import { Link, useLocation } from 'react-router'
import { AuthFrame } from '../../features/identity/auth/auth-frame'
import { ConfirmEmailForm, InvalidConfirmationLink } from '../../features/identity/auth/confirm-email-form'
import { pageMeta } from '../../features/overview/shell/page-meta'
import { paths } from '../../paths'
import { Skeleton } from '../../ui/skeleton'
import { useHydrated } from '../../ui/use-hydrated'

export const meta = () =>
  pageMeta('Confirm your email', 'Confirm your email address and set a password for X-Automated.')

export default function ConfirmEmail() {
  return (
    <AuthFrame
      tabs={false}
      title="Confirm your email"
      description="You opened the link in a different browser from the one you signed up in, so please set a new password."
      footer={
        <Link to={paths.login} className="text-link">
          Back to login
        </Link>
      }
    >
      {useHydrated() ? <FromLink /> : <Skeleton className="h-48" />}
    </AuthFrame>
  )
}

/** Reads the fragment, so it renders only in the browser. */
function FromLink() {
  const token = useLocation().hash.slice(1)
  return token ? <ConfirmEmailForm key={token} token={token} /> : <InvalidConfirmationLink />
}
