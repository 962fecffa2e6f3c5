import { useQuery } from '@tanstack/react-query'
import { generatePath, useParams } from 'react-router'
import { api } from '../../api'
import { RoleNotice, VIEWER_TEXT } from '../../features/identity/people/role-notice'
import { useHasRole } from '../../features/identity/people/use-role'
import { OpenerUse } from '../../features/outreach/writer/opener-use'
import { OpenersBatch } from '../../features/outreach/writer/openers-batch'
import { OpenersTable } from '../../features/outreach/writer/openers-table'
import { pageMeta } from '../../features/overview/shell/page-meta'
import { paths } from '../../paths'
import { QueryError } from '../../query-error'
import { BackLink } from '../../ui/back-link'
import { Callout } from '../../ui/callout'
import { LoadingText, Skeleton } from '../../ui/skeleton'

export const meta = () => pageMeta('AI openers', 'One sentence per person, sent only once you approve it.')

/** The openers of a campaign. */
export default function CampaignOpeners() {
  const { campaignId: id = '' } = useParams()
  const campaign = useQuery(api.campaigns.find.queryOptions({ input: { id } }))
  const sequence = useQuery(api.sequences.find.queryOptions({ input: { id } }))
  const isMember = useHasRole('member')
  const isOver = campaign.data?.status === 'completed' || campaign.data?.status === 'archived'
  return (
    <>
      <header className="grid gap-3 pb-6">
        <BackLink to={generatePath(paths.campaign, { campaignId: id })}>{campaign.data?.name ?? 'Campaign'}</BackLink>
        <h1 className="text-2xl">AI openers</h1>
      </header>
      <RoleNotice needs="member">{VIEWER_TEXT}</RoleNotice>
      {campaign.isError && !campaign.data ? (
        <QueryError query={campaign} />
      ) : isMember === false ? null : campaign.data && isMember && !sequence.isLoading ? (
        <div className="grid grid-cols-1 gap-6">
          <OpenerUse campaign={campaign.data} />
          {isOver ? (
            <Callout>This campaign is {campaign.data.status}, so its openers no longer change.</Callout>
          ) : (
            <OpenersBatch campaign={campaign.data} />
          )}
          <OpenersTable key={id} campaignId={id} canChange={!isOver} />
        </div>
      ) : (
        <>
          <LoadingText>Loading openers…</LoadingText>
          <Skeleton className="h-screen" />
        </>
      )}
    </>
  )
}
