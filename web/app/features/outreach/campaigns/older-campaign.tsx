import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import { generatePath, Link } from 'react-router'
import { paths } from '../../../paths'

/** Why an active campaign waits for another one. */
export function WaitsForOlder({ waitsBehind }: Pick<Campaign, 'waitsBehind'>) {
  return (
    <>
      Waiting for {waitsBehind ? <OlderCampaign {...waitsBehind} /> : 'an older campaign'} to finish. Each X account
      sends the first messages of one campaign at a time.
    </>
  )
}

/** A link to the older campaign, which can be paused there. */
function OlderCampaign({ id, name }: { id: string; name: string }) {
  return (
    <Link to={generatePath(paths.campaign, { campaignId: id })} className="underline underline-offset-4">
      “<bdi>{name}</bdi>”
    </Link>
  )
}
