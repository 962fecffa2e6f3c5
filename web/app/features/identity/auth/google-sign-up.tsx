import { GoogleLogin } from './google-login'
import { OrDivider } from './or-divider'
import { whereGoogleIsOffered } from './use-google'

/** Signs up with Google. Hidden if the server doesn't offer it. */
export function GoogleSignUp({ referralCode }: { referralCode: string | null }) {
  return (
    <div className={`grid gap-6 ${whereGoogleIsOffered}`}>
      <OrDivider />
      <GoogleLogin referralCode={referralCode} />
    </div>
  )
}
