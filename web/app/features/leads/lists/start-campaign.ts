import { paths } from '../../../paths'

/** The form of a new campaign, with this list chosen. */
export function startCampaignPath(list?: { id: string }): string {
  return `${paths.campaigns}?${list ? `list=${list.id}` : 'new=1'}`
}
