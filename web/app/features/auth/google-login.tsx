import { BrandSign } from '../../ui/brand-sign'
import { Button } from '../../ui/button'
import { useGoogleSignIn, useOffersGoogle } from './use-google'

/** Signs in, or up, with Google. Not there where the server does not offer it. */
export function GoogleLogin({ referralCode }: { referralCode: string | null }) {
  const isOffered = useOffersGoogle()
  const { busy, begin } = useGoogleSignIn({ intent: 'login', referralCode })
  if (isOffered === false) return null
  return (
    // Its room is kept while it is not known, so that nothing moves.
    <Button
      size="lg"
      wide
      loading={busy}
      icon={<BrandSign brand="google" />}
      className={isOffered ? undefined : 'invisible'}
      onClick={begin}
    >
      Continue with Google
    </Button>
  )
}
