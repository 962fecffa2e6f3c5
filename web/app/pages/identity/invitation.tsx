import { useLocation } from 'react-router'
import { AuthFrame } from '../../features/identity/auth/auth-frame'
import { tokenIn } from '../../features/identity/auth/recovery-link'
import { InvalidInvitation, Invitation } from '../../features/identity/people/invitation'
import { pageMeta } from '../../features/overview/shell/page-meta'
import { SkeletonText } from '../../ui/skeleton'
import { useHydrated } from '../../ui/use-hydrated'

export const meta = () => pageMeta('Invitation', 'Join a workspace on X-Automated.')

export default function InvitationPage() {
  return (
    <AuthFrame tabs={false} title="You're invited">
      {useHydrated() ? <FromLink /> : <SkeletonText lines={4} />}
    </AuthFrame>
  )
}

/** Reads the fragment, so it renders only in the browser. */
function FromLink() {
  const token = tokenIn(useLocation().hash)
  return token ? <Invitation key={token} token={token} /> : <InvalidInvitation />
}
