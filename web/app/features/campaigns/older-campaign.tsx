import { generatePath, Link } from 'react-router'
import { paths } from '../../paths'

/** Links to the campaign that another one waits for, where it can be paused. */
export function OlderCampaign({ id, name }: { id: string; name: string }) {
  return (
    <Link to={generatePath(paths.campaign, { campaignId: id })} className="underline underline-offset-4">
      “<bdi>{name}</bdi>”
    </Link>
  )
}
