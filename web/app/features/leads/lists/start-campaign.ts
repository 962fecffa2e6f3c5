import { paths } from '../../../paths'

/** The path of the form for a new campaign, with this list chosen. */
export function startCampaignPath(list?: { id: string }): string {
  return `${paths.campaigns}?${list ? `list=${list.id}` : 'new=1'}`
}
