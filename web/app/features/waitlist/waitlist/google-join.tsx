import { BrandIcon } from '../../../ui/brand-icon'
import { Button } from '../../../ui/button'
import { OrDivider } from '../../identity/auth/or-divider'
import { useGoogleSignIn, whereGoogleIsOffered } from '../../identity/auth/use-google'
import { googleFlag } from './google-flag'

/** Joins with Google. Hidden if the server doesn't offer it. */
export function GoogleJoin({ referralCode }: { referralCode: string | null }) {
  const { busy, begin } = useGoogleSignIn({
    intent: 'waitlist',
    referralCode,
    onBegin: googleFlag.set,
    onFailed: googleFlag.clear,
  })
  return (
    <div className={`grid gap-4 ${whereGoogleIsOffered}`}>
      <OrDivider />
      <Button size="lg" wide loading={busy} icon={<BrandIcon brand="google" />} onClick={begin}>
        Sign up with Google
      </Button>
    </div>
  )
}
