import { ReauthProvider } from '../auth/reauth-provider'
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

export function Account() {
  return (
    <ReauthProvider>
      <EmailChangeNotice />
      <div className="flex flex-col gap-4 lg:flex-row lg:gap-10">
        <SectionNav />
        <div className="grid min-w-0 max-w-3xl flex-1 grid-cols-1 gap-6">
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
    </ReauthProvider>
  )
}
