import { useQuery } from '@tanstack/react-query'
import { generatePath, Link, useParams } from 'react-router'
import { api } from '../../api'
import { RoleNotice, VIEWER_TEXT } from '../../features/identity/people/role-notice'
import { SequenceEditorForm } from '../../features/outreach/sequences/sequence-editor'
import { pageMeta } from '../../features/overview/shell/page-meta'
import { paths } from '../../paths'
import { QueryError } from '../../query-error'
import { PageHeader } from '../../ui/page-header'
import { LoadingText, Skeleton } from '../../ui/skeleton'

export const meta = () => pageMeta('Edit messages', "Change a campaign's messages, delays and variants.")

/** The editor of a campaign's messages. */
export default function EditCampaign() {
  const { campaignId: id = '' } = useParams()
  const campaign = useQuery(api.campaigns.find.queryOptions({ input: { id } }))
  // Never refetch, because that would change what is being edited.
  const sequence = useQuery(api.sequences.find.queryOptions({ input: { id }, staleTime: Number.POSITIVE_INFINITY }))
  const failed = [campaign, sequence].find(({ isError, data }) => isError && !data)
  return (
    <>
      <RoleNotice needs="member">{VIEWER_TEXT}</RoleNotice>
      {campaign.data && sequence.data ? (
        <SequenceEditorForm key={id} campaign={campaign.data} sequence={sequence.data} />
      ) : failed ? (
        <>
          <PageHeader
            title="Edit messages"
            description={<Link to={generatePath(paths.campaign, { campaignId: id })}>Back to the campaign</Link>}
          />
          <QueryError query={failed} />
        </>
      ) : (
        <>
          <PageHeader title="Edit messages" />
          <LoadingText>Loading messages…</LoadingText>
          <Skeleton className="h-screen" />
        </>
      )}
    </>
  )
}
