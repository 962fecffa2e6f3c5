import { paths } from '../../../paths'

/** The form of a new campaign, with this list chosen. */
export function startCampaignPath({ id }: { id: string }): string {
  return `${paths.campaigns}?list=${id}`
}
