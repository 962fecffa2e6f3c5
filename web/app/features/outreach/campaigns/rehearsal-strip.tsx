import { useQuery } from '@tanstack/react-query'
import { formatMoney } from '@x-automated/contract/format'
import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import { type RehearsedDates, rehearsalText } from '@x-automated/contract/outreach/rehearsal-text'
import { api } from '../../../api'
import { waitingForPlan } from './campaign-progress'
import { useRestOfCampaign } from './campaign-watch'
import { othersText, warningText } from './preflight-text'

/** A rehearsal's dates in one line. Null if nothing is sent, or the time zone is unknown. */
export function useRehearsalText(
  dates: Pick<RehearsedDates, 'perDay'> & { lastSendAt: string | null },
  xAccountId: string | null | undefined,
): string | null {
  const { data } = useQuery(api.sendingSettings.find.queryOptions())
  const account = data?.accounts.find((candidate) => candidate.xAccountId === xAccountId) ?? data?.accounts[0]
  if (!account) return null
  const lastSendAt = dates.lastSendAt === null ? null : new Date(dates.lastSendAt)
  return rehearsalText({ perDay: dates.perDay, lastSendAt }, account.timeZone, new Date())
}

/** Reserves the line's height while loading. */
const BLANK = '\u00a0'

/**
 * What a campaign still has to send, or what launching it would start and cost: "About 14 a day,
 * done on Dec 4". Includes people who wait for the plan.
 */
export function RehearsalStrip({ campaign }: { campaign: Campaign }) {
  const { data } = useRestOfCampaign(campaign)
  const rehearsed = useRehearsalText(data ?? { perDay: [], lastSendAt: null }, campaign.xAccountId)
  const waiting = waitingForPlan(campaign)
  const others = waiting > 0 && data ? othersText(campaign.stepCount === 1 ? waiting : null, data.plan) : null
  if (campaign.status === 'completed' || campaign.status === 'archived') return null
  const isSaved = campaign.status !== 'active' && campaign.totalLeadsInList === 0
  const bill = isSaved && data?.billCents ? `X charges about ${formatMoney(data.billCents)} in all.` : null
  const warnings = WARNINGS.filter((warning) => data?.warnings.includes(warning)).map(warningText)
  const isAlone = others === null && bill === null && warnings.length === 0
  return (
    <p className="text-muted" data-numeric>
      {rehearsed === null ? isAlone && BLANK : `${rehearsed}${isAlone ? '' : '. '}`}
      {[others, bill].filter((text) => text !== null).join(' ')}{' '}
      {warnings.length > 0 && <span className="text-warn">{warnings.join(' ')}</span>}
    </p>
  )
}

const WARNINGS = ['closed_inboxes', 'spending'] as const
