import { Link, useLocation } from 'react-router'
import { AuthFrame } from '../../features/identity/auth/auth-frame'
import { tokenIn } from '../../features/identity/auth/recovery-link'
import { InvalidResetLink, ResetPasswordForm } from '../../features/identity/auth/reset-password-form'
import { pageMeta } from '../../features/overview/shell/page-meta'
import { paths } from '../../paths'
import { Skeleton } from '../../ui/skeleton'
import { useHydrated } from '../../ui/use-hydrated'

export const meta = () => pageMeta('Set new password', 'Set a new password for X-Automated.')

export default function ResetPassword() {
  return (
    <AuthFrame
      tabs={false}
      title="Set new password"
      description="This signs you out on every device."
      footer={
        <Link to={paths.login} className="text-link">
          Back to login
        </Link>
      }
    >
      {useHydrated() ? <FromLink /> : <Skeleton className="h-64" />}
    </AuthFrame>
  )
}

/** Reads the fragment, so it renders only in the browser. */
function FromLink() {
  const token = tokenIn(useLocation().hash)
  return token ? <ResetPasswordForm key={token} token={token} /> : <InvalidResetLink />
}
