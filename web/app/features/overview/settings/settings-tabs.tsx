import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api } from '../../../api'
import { PeopleTab } from '../../identity/people/people-tab'
import { RoleNotice } from '../../identity/people/role-notice'
import { isAtLeast, useHasRole } from '../../identity/people/use-role'
import { WorkspaceNameCard } from '../../identity/people/workspace-name-card'
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

export interface SettingsSection {
  /** The fragment of its URL. `?tab=` with this id leads to the section, too. */
  id: string
  title: string
  content: ReactNode
}

export interface SettingsTab {
  /** The name in the URL: `?tab=…`. */
  value: string
  label: string
  sections: readonly [SettingsSection, ...SettingsSection[]]
}

/** The tabs of the settings page, the default first. */
export const settingsTabs: readonly [SettingsTab, ...SettingsTab[]] = [
  {
    value: 'sending',
    label: 'Sending',
    sections: [
      { id: 'sending', title: 'Limits', content: <SendingTab /> },
      { id: 'x-costs', title: 'X costs', content: <XCostsTab /> },
      { id: 'suppression-list', title: 'Suppression list', content: <SuppressionsTab /> },
    ],
  },
  {
    value: 'inbox',
    label: 'Inbox and AI',
    sections: [
      { id: 'inbox', title: 'Inbox', content: <InboxSection /> },
      { id: 'ai-writer', title: 'AI writer', content: <WriterTab /> },
    ],
  },
  {
    value: 'team',
    label: 'Team',
    sections: [
      { id: 'people', title: 'People', content: <PeopleTab /> },
      { id: 'workspace', title: 'Workspace', content: <WorkspaceSection /> },
    ],
  },
  {
    value: 'notifications',
    label: 'Notifications',
    sections: [{ id: 'notifications', title: 'Notifications', content: <NotificationsTab /> }],
  },
  {
    value: 'api',
    label: 'API and sign-on',
    sections: [
      { id: 'api', title: 'API', content: <ApiKeysTab /> },
      { id: 'single-sign-on', title: 'Single sign-on', content: <SingleSignOnTab /> },
    ],
  },
]

/** Conversation settings: snippets, and how long texts are kept. */
function InboxSection() {
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

/** The workspace's name, logo and color. */
function WorkspaceSection() {
  const workspace = useQuery(api.auth.me.queryOptions()).data?.workspace
  return (
    <div className="grid grid-cols-1 gap-6">
      {workspace && isAtLeast(workspace.role, 'admin') && <WorkspaceNameCard name={workspace.name} />}
      <BrandingTab />
    </div>
  )
}
