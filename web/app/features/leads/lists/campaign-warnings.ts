import { formatCount, formatList, formatNumber, pluralize } from '@x-automated/contract/format'

interface AffectedCampaign {
  name: string
  status: string
  totalLeadsInList: number
}

/** How many campaigns a sentence names. The rest is counted. */
const NAMED_MAX = 3

/**
 * What deleting a list does to its campaigns.
 * @param total the number of campaigns, if `campaigns` contains only some of them
 */
export function campaignWarnings(campaigns: readonly AffectedCampaign[], total = campaigns.length): string[] {
  const others = total - campaigns.length
  const active = campaigns.filter(({ status }) => status === 'active')
  const waiting = campaigns.filter(({ status }) => status === 'draft' || status === 'paused')
  const [launched, neverLaunched] = [true, false].map((isLaunched) =>
    waiting.filter(({ totalLeadsInList }) => totalLeadsInList > 0 === isLaunched),
  )
  return [
    ...sentence(
      active,
      'is active and uses this list. Pause it first.',
      'are active and use this list. Pause them first.',
    ),
    ...sentence(
      launched,
      'uses this list. It keeps its messages and can be resumed.',
      'use this list. They keep their messages and can be resumed.',
    ),
    ...sentence(
      neverLaunched,
      'uses this list and could no longer be launched.',
      'use this list and could no longer be launched.',
    ),
    ...(others > 0
      ? [`${formatCount(others, 'more campaign')} ${pluralize(others, 'was', 'were')} created for this list.`]
      : []),
  ]
}

function sentence(campaigns: readonly AffectedCampaign[] = [], singular: string, many: string): string[] {
  if (campaigns.length === 0) return []
  const named = campaigns.slice(0, NAMED_MAX).map(({ name }) => `“${name}”`)
  const all = campaigns.length > NAMED_MAX ? [...named, `${formatNumber(campaigns.length - NAMED_MAX)} more`] : named
  return [
    `The ${pluralize(campaigns.length, 'campaign')} ${formatList(all)} ${pluralize(campaigns.length, singular, many)}`,
  ]
}
