import { Link, useLocation } from 'react-router'
import { AuthFrame } from '../features/auth/auth-frame'
import { LoginForm } from '../features/auth/login-form'
import { useLeaveWhenSignedIn } from '../features/auth/use-leave-when-signed-in'
import { pageMeta } from '../features/shell/page-meta'
import { isRegistered, paths } from '../paths'
import { Callout } from '../ui/callout'

export const meta = () => pageMeta('Log in', 'Log in to X-Automated and go on where you left off.')

export default function Login() {
  useLeaveWhenSignedIn()
  const { state } = useLocation()
  const { from, notice, problem } = (state ?? {}) as { from?: unknown; notice?: unknown; problem?: unknown }
  return (
    <AuthFrame
      title="Welcome Back"
      description="Log in to go on where you left off."
      footer={
        isRegistered('forgotPassword') && (
          <Link to={paths.forgotPassword} className="text-link">
            Forgot password?
          </Link>
        )
      }
    >
      {typeof notice === 'string' && <Callout tone={from ? 'info' : 'good'}>{notice}</Callout>}
      {typeof problem === 'string' && <Callout tone="bad">{problem}</Callout>}
      <LoginForm />
    </AuthFrame>
  )
}
