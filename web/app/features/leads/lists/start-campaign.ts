import { paths } from '../../../paths'

/** The path of the builder for a new campaign. @param list chosen there */
export function startCampaignPath(list?: { id: string }): string {
  return list ? `${paths.newCampaign}?list=${list.id}` : paths.newCampaign
}
