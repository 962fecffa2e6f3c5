import { GoogleLogin } from './google-login'
import { OrDivider } from './or-divider'
import { useOffersGoogle } from './use-google'

/** The other way to sign up. Not there where the server does not offer it. */
export function GoogleSignUp({ referralCode }: { referralCode: string | null }) {
  const isOffered = useOffersGoogle()
  if (isOffered === false) return null
  return (
    <div className={isOffered ? 'grid gap-6' : 'invisible grid gap-6'}>
      <OrDivider />
      <GoogleLogin referralCode={referralCode} />
    </div>
  )
}
