import { RoleNotice, VIEWER_TEXT } from '../../features/identity/people/role-notice'
import { useIsOffered } from '../../features/identity/people/use-role'
import { CampaignBuilder } from '../../features/outreach/campaigns/campaign-builder'
import { pageMeta } from '../../features/overview/shell/page-meta'
import { PageHeader } from '../../ui/page-header'

export const meta = () => pageMeta('New campaign', 'Write a campaign, and see who gets it, when, and what it costs.')

/** The builder of a new campaign. */
export default function NewCampaign() {
  if (useIsOffered('member')) return <CampaignBuilder />
  return (
    <>
      <PageHeader title="New campaign" />
      <RoleNotice needs="member">{VIEWER_TEXT}</RoleNotice>
    </>
  )
}
