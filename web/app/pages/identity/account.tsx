import { Account } from '../../features/identity/account/account'
import { emailChangeNotice } from '../../features/identity/account/email-change-text'
import { pageMeta } from '../../features/overview/shell/page-meta'
import type { SignedInHandle } from '../../features/overview/shell/signed-in'
import { useSession } from '../../session'
import { PageHeader } from '../../ui/page-header'

const text = 'Your profile, how you sign in, and your data.'

export const meta = () => pageMeta('Account', text)

export const handle: SignedInHandle = {
  // The link may be opened while signed out, so the login page shows its result, too.
  loginNotice(query) {
    const notice = emailChangeNotice(query.get('emailChange'))
    return notice ? `${notice.title}. ${notice.text}` : undefined
  },
}

export default function AccountPage() {
  const state = useSession()
  return (
    <>
      <PageHeader title="Account" description={text} />
      {state.status === 'signed-in' && <Account key={state.user.id} />}
    </>
  )
}
