import { BrandIcon } from '../../../ui/brand-icon'
import { Button } from '../../../ui/button'
import { useGoogleSignIn, whereGoogleIsOffered } from './use-google'

/** Signs in or up with Google. Hidden if the server doesn't offer it. */
export function GoogleLogin({ referralCode }: { referralCode: string | null }) {
  const { busy, begin } = useGoogleSignIn({ intent: 'login', referralCode })
  return (
    <Button
      size="lg"
      wide
      loading={busy}
      icon={<BrandIcon brand="google" />}
      className={whereGoogleIsOffered}
      onClick={begin}
    >
      Continue with Google
    </Button>
  )
}
