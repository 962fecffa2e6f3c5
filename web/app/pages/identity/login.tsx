import type { SecondFactorNeeded } from '@x-automated/contract/identity/auth'
import { ShieldCheck } from 'lucide-react'
import { useState } from 'react'
import { Link, useLocation, useNavigationType } from 'react-router'
import { AuthFrame } from '../../features/identity/auth/auth-frame'
import { GoogleLogin } from '../../features/identity/auth/google-login'
import { LoginForm } from '../../features/identity/auth/login-form'
import { OrDivider } from '../../features/identity/auth/or-divider'
import { secondFactorIn } from '../../features/identity/auth/second-factor'
import { SecondFactorForm } from '../../features/identity/auth/second-factor-form'
import { useLeaveWhenSignedIn } from '../../features/identity/auth/use-leave-when-signed-in'
import { SsoLogin } from '../../features/identity/sso/sso-login'
import { pageMeta } from '../../features/overview/shell/page-meta'
import { AuthAside } from '../../features/waitlist/landing/auth-aside'
import { paths } from '../../paths'
import { useReferralCode, withReferralCode } from '../../referral-code'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { useHydrated } from '../../ui/use-hydrated'

export const meta = () => pageMeta('Log in', 'Log in to X-Automated and pick up where you left off.')

export default function Login() {
  useLeaveWhenSignedIn()
  const location = useLocation()
  const ref = useReferralCode()
  // Navigation state survives reloads, but the first render must match the prerendered page.
  const state = useHydrated() ? location.state : null
  const { from, notice, problem } = (state ?? {}) as { from?: unknown; notice?: unknown; problem?: unknown }
  // After a reload, the user has already read the notice, and showing it late would shift the form.
  const isReload = useNavigationType() === 'POP'
  const handedOver = secondFactorIn(state)
  const [choice, setChoice] = useState<SecondFactorNeeded | 'back' | null>(null)
  const [withSso, setWithSso] = useState(false)
  const needed = choice === 'back' ? null : (choice ?? handedOver)
  return (
    <AuthFrame
      aside={<AuthAside />}
      title="Welcome Back"
      description={needed ? "One more step to confirm it's you." : 'Log in to pick up where you left off.'}
      footer={
        <Link to={withReferralCode(paths.forgotPassword, ref)} className="text-link">
          {needed ? 'Lost your second factor? Reset your password to remove it' : 'Forgot password?'}
        </Link>
      }
    >
      {!isReload && typeof notice === 'string' && <Callout tone={from ? 'info' : 'good'}>{notice}</Callout>}
      {!isReload && typeof problem === 'string' && <Callout tone="bad">{problem}</Callout>}
      {needed ? (
        <SecondFactorForm needed={needed} onBack={() => setChoice('back')} />
      ) : withSso ? (
        <SsoLogin onBack={() => setWithSso(false)} />
      ) : (
        <>
          <LoginForm onSecondFactor={setChoice} />
          <OrDivider />
          <div className="grid gap-3">
            <GoogleLogin referralCode={ref} />
            <Button size="lg" wide icon={<ShieldCheck aria-hidden />} onClick={() => setWithSso(true)}>
              Continue with SSO
            </Button>
          </div>
        </>
      )}
    </AuthFrame>
  )
}
