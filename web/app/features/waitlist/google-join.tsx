import { BrandSign } from '../../ui/brand-sign'
import { Button } from '../../ui/button'
import { OrDivider } from '../auth/or-divider'
import { useGoogleSignIn, useOffersGoogle } from '../auth/use-google'
import { googleFlag } from './google-flag'

/** The other way to join. Not there where the server does not offer it. */
export function GoogleJoin({ referralCode }: { referralCode: string | null }) {
  const isOffered = useOffersGoogle()
  const { busy, begin } = useGoogleSignIn({
    intent: 'waitlist',
    referralCode,
    onBegin: googleFlag.set,
    onFailed: googleFlag.clear,
  })
  if (isOffered === false) return null
  return (
    // Its room is kept while it is not known, so that nothing moves.
    <div className={isOffered ? 'grid gap-4' : 'invisible grid gap-4'}>
      <OrDivider />
      <Button size="lg" wide loading={busy} icon={<BrandSign brand="google" />} onClick={begin}>
        Sign up with Google
      </Button>
    </div>
  )
}
