import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { api } from '../../api'
import { session, type User } from '../../session'
import { ProofProvider } from '../auth/proof'
import { readPlace } from '../waitlist/place-storage'
import { storePlace } from '../waitlist/stored-place'
import { AuthenticatorSection } from './authenticator-section'
import { DataSection } from './data-section'
import { DeleteSection } from './delete-section'
import { EmailChangeNotice } from './email-change-notice'
import { EmailSection } from './email-section'
import { IdentitiesSection } from './identities-section'
import { PasskeysSection } from './passkeys-section'
import { PasswordSection } from './password-section'
import { ProfileSection } from './profile-section'
import { RecoverySection } from './recovery-section'
import { SectionNav } from './section-nav'
import { SessionsSection } from './sessions-section'

/** Everything about one's own account. */
export function Account({ user }: { user: User }) {
  useAddressOf(user)
  return (
    <ProofProvider>
      <EmailChangeNotice />
      <div className="flex flex-col gap-4 lg:flex-row lg:gap-10">
        <SectionNav />
        <div className="grid min-w-0 max-w-3xl flex-1 gap-6">
          <ProfileSection />
          <EmailSection />
          <PasswordSection />
          <IdentitiesSection />
          <AuthenticatorSection />
          <PasskeysSection />
          <RecoverySection />
          <SessionsSection />
          <DataSection />
          <DeleteSection />
        </div>
      </div>
    </ProofProvider>
  )
}

/** The address may have changed elsewhere since this browser learned it: what it remembers follows. */
function useAddressOf({ id, email }: User): void {
  const { data } = useQuery(api.account.findUser.queryOptions())
  useEffect(() => {
    if (!data || data.id !== id || data.email === email) return
    session.updateUser({ id, email: data.email })
    const place = readPlace(localStorage)
    if (place?.email === email) storePlace({ ...place, email: data.email })
  }, [data, id, email])
}
