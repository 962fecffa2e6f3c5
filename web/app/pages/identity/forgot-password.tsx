import { Link } from 'react-router'
import { AuthFrame } from '../../features/identity/auth/auth-frame'
import { ForgotPasswordForm } from '../../features/identity/auth/forgot-password-form'
import { pageMeta } from '../../features/overview/shell/page-meta'
import { paths } from '../../paths'
import { useCarriedReferral } from '../../referral-code'

export const meta = () =>
  pageMeta('Reset your password', 'Get an email with a link to set a new password for X-Automated.')

export default function ForgotPassword() {
  const carry = useCarriedReferral()
  return (
    <AuthFrame
      tabs={false}
      title="Reset your password"
      description="We'll email you a link to set a new one."
      footer={
        <Link to={carry(paths.login)} className="text-link">
          Back to login
        </Link>
      }
    >
      <ForgotPasswordForm />
    </AuthFrame>
  )
}
