import { useQuery } from '@tanstack/react-query'
import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import { type RehearsedDates, rehearsalText } from '@x-automated/contract/outreach/rehearsal-text'
import { CalendarDays } from 'lucide-react'
import { api } from '../../../api'
import { useRestOfCampaign } from './campaign-watch'

/** The dates of a rehearsal in one line; null: nothing is sent, or the time zone is not known yet. */
export function useRehearsalText(
  dates: Pick<RehearsedDates, 'perDay'> & { lastSendAt: string | null },
  xAccountId: string | null | undefined,
): string | null {
  const { data } = useQuery(api.sendingSettings.find.queryOptions())
  const account = data?.accounts.find((one) => one.xAccountId === xAccountId) ?? data?.accounts[0]
  if (!account) return null
  const lastSendAt = dates.lastSendAt === null ? null : new Date(dates.lastSendAt)
  return rehearsalText({ perDay: dates.perDay, lastSendAt }, account.timeZone, new Date())
}

/** What is left of a campaign, or what its launch would start: "About 14 a day, done on Dec 4". */
export function RehearsalStrip({ campaign }: { campaign: Campaign }) {
  const { data } = useRestOfCampaign(campaign)
  const text = useRehearsalText(data ?? { perDay: [], lastSendAt: null }, campaign.xAccountId)
  if (text === null) return null
  return (
    <p className="flex gap-2.5 text-muted" data-numeric>
      <CalendarDays aria-hidden className="mt-0.5 size-4 shrink-0" />
      {text}
    </p>
  )
}
