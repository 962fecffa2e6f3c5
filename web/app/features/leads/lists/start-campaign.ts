import { paths } from '../../../paths'

/** The path of the builder for a new campaign, with this list chosen. Without a list, the form's. */
export function startCampaignPath(list?: { id: string }): string {
  return list ? `${paths.newCampaign}?list=${list.id}` : `${paths.campaigns}?new=1`
}
