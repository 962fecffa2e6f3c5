import { generatePath, Navigate, useParams } from 'react-router'
import { pageMeta } from '../../features/overview/shell/page-meta'
import { paths } from '../../paths'

export const meta = () => pageMeta('Edit messages', "Change a campaign's messages, delays and variants.")

/** Forwards links and bookmarks to the page that edits a campaign's messages. */
export default function CampaignSteps() {
  const { campaignId = '' } = useParams()
  return <Navigate replace to={generatePath(paths.editCampaign, { campaignId })} />
}
