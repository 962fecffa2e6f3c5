import { GoogleLogin } from './google-login'
import { OrDivider } from './or-divider'
import { whereGoogleIsOffered } from './use-google'

/** The other way to sign up. Not there where the server does not offer it. */
export function GoogleSignUp({ referralCode }: { referralCode: string | null }) {
  return (
    <div className={`grid gap-6 ${whereGoogleIsOffered}`}>
      <OrDivider />
      <GoogleLogin referralCode={referralCode} />
    </div>
  )
}
