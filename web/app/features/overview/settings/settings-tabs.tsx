import type { ReactNode } from 'react'
import { PeopleTab } from '../../identity/people/people-tab'
import { RoleNotice } from '../../identity/people/role-notice'
import { useHasRole } from '../../identity/people/use-role'
import { SingleSignOnTab } from '../../identity/sso/single-sign-on-tab'
import { SuppressionsTab } from '../../leads/suppressions/suppressions-tab'
import { RetentionCard } from '../../outreach/replies/retention-card'
import { SendingTab } from '../../outreach/sending-settings/sending-tab'
import { SnippetsCard } from '../../outreach/snippets/snippets-card'
import { WriterTab } from '../../outreach/writer/writer-tab'
import { ApiKeysTab } from '../../platform/api-keys/api-keys-tab'
import { BrandingTab } from '../../platform/branding/branding-tab'
import { NotificationsTab } from '../../platform/notifications/notifications-tab'
import { XCostsTab } from '../../platform/x-costs/x-costs-tab'

interface SettingsTab {
  /** The name in the URL: `?tab=…`. */
  value: string
  label: string
  content: ReactNode
  isWide?: boolean
}

/** The tabs of the settings page, the default first. To add one, list its component here. */
export const settingsTabs: readonly [SettingsTab, ...SettingsTab[]] = [
  { value: 'sending', label: 'Sending', content: <SendingTab /> },
  { value: 'x-costs', label: 'X costs', content: <XCostsTab /> },
  { value: 'inbox', label: 'Inbox', content: <InboxTab /> },
  { value: 'ai-writer', label: 'AI writer', content: <WriterTab /> },
  { value: 'suppression-list', label: 'Suppression list', content: <SuppressionsTab />, isWide: true },
  { value: 'notifications', label: 'Notifications', content: <NotificationsTab /> },
  { value: 'workspace', label: 'Workspace', content: <BrandingTab /> },
  { value: 'people', label: 'People', content: <PeopleTab /> },
  { value: 'single-sign-on', label: 'Single sign-on', content: <SingleSignOnTab /> },
  { value: 'api', label: 'API', content: <ApiKeysTab />, isWide: true },
]

/** Conversation settings: snippets, and how long texts are kept. */
function InboxTab() {
  const isMember = useHasRole('member')
  // Empty until the role is known.
  if (isMember === undefined) return null
  if (!isMember)
    return <RoleNotice needs="member">Viewers can't read conversations. An admin can change your role.</RoleNotice>
  return (
    <div className="grid grid-cols-1 gap-6">
      <SnippetsCard />
      <RetentionCard />
    </div>
  )
}
