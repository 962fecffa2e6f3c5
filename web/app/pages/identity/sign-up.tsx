import { earlyPromise } from '@x-automated/contract/platform/early-features'
import { Gift } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { AuthFrame } from '../../features/identity/auth/auth-frame'
import { GoogleLogin } from '../../features/identity/auth/google-login'
import { OrDivider } from '../../features/identity/auth/or-divider'
import { SignUpForm } from '../../features/identity/auth/sign-up-form'
import { whereGoogleIsOffered } from '../../features/identity/auth/use-google'
import { useLeaveWhenSignedIn } from '../../features/identity/auth/use-leave-when-signed-in'
import { pageMeta } from '../../features/overview/shell/page-meta'
import { AuthAside } from '../../features/waitlist/landing/auth-aside'
import { ForReferred } from '../../features/waitlist/waitlist/for-referred'
import { paths } from '../../paths'
import { useReferralCode, withReferralCode } from '../../referral-code'

export const meta = () => pageMeta('Sign up', 'Create your X-Automated account and automate your outreach on X.')

export default function SignUp() {
  useLeaveWhenSignedIn()
  const ref = useReferralCode()
  const [isSent, setSent] = useState(false)
  return (
    <AuthFrame
      aside={<AuthAside />}
      title={isSent ? 'Check your email' : 'Create an Account'}
      description={isSent ? undefined : 'Free to start. No card needed.'}
      footer={
        !isSent && (
          <div className="grid gap-3">
            <p>
              <Link to={withReferralCode(paths.login, ref)} className="text-link">
                Already have an account? Log in
              </Link>
            </p>
            <p className="text-xs">
              By signing up you agree to our{' '}
              <a href={paths.terms} className="underline">
                Terms of Service
              </a>{' '}
              and{' '}
              <a href={paths.privacy} className="underline">
                Privacy Policy
              </a>
              .
            </p>
          </div>
        )
      }
    >
      {!isSent && (
        <ForReferred code={ref}>
          <p className="flex gap-3 rounded-lg border border-accent-edge bg-accent-soft px-4 py-3">
            <Gift aria-hidden className="mt-0.5 size-4 shrink-0" />
            <span>
              You were referred by a friend! You'll both get priority access.{' '}
              {earlyPromise('New features open to you one release early')}
            </span>
          </p>
        </ForReferred>
      )}
      <SignUpForm referralCode={ref} onSent={setSent} />
      {!isSent && <GoogleSignUp referralCode={ref} />}
    </AuthFrame>
  )
}

/** Signs up with Google. Hidden if the server doesn't offer it. */
function GoogleSignUp({ referralCode }: { referralCode: string | null }) {
  return (
    <div className={`grid gap-6 ${whereGoogleIsOffered}`}>
      <OrDivider />
      <GoogleLogin referralCode={referralCode} />
    </div>
  )
}
