import type { Campaign, CampaignStatus } from '@x-automated/contract/outreach/campaigns'
import { useState } from 'react'
import { useDebouncedValue } from '../../../ui/use-debounced-value'
import { useDialogs } from '../../../ui/use-dialogs'
import { useIsOffered } from '../../identity/people/use-role'
import { useAccounts } from '../../platform/x-account/use-accounts'
import { useNoSender } from '../real-send/no-sender'
import { useRunNoticeLoaded } from '../real-send/run-notice'
import { useCampaignActions } from './campaign-actions'
import { isDisconnected } from './campaign-progress'
import { CAMPAIGNS_PAGE_SIZE, useCampaigns, useLostConnection, useXConnections } from './campaign-watch'
import { campaignColumns, sortedByStatus } from './campaigns-table'
import { useProcessQueue } from './process-queue'
import { useRealSend } from './real-send'

const SEARCH_DEBOUNCE_MS = 250

/** The filter as typed. '' means no filter. */
export interface TypedFilter {
  typed: string
  status: CampaignStatus | ''
}

/** The data and actions of the campaigns page: its table with filter, order and dialog, and what surrounds it. */
export function useCampaignsPage() {
  const [page, setPage] = useState(1)
  const [filter, setFilter] = useState<TypedFilter>({ typed: '', status: '' })
  const keyword = useDebouncedValue(filter.typed.replaceAll('\0', '').trim() || undefined, SEARCH_DEBOUNCE_MS)
  const [isSorted, setSorted] = useState(false)
  const dms = useDialogs<Campaign>()
  const query = useCampaigns(page, { keyword, status: filter.status || undefined })
  const campaigns = query.data?.campaigns
  const realSend = useRealSend(campaigns)
  const actions = useCampaignActions(realSend)
  const queue = useProcessQueue()
  const mayChange = useIsOffered('member')
  const connections = useXConnections(campaigns)
  const noSender = useNoSender(campaigns, query.dataUpdatedAt)
  const noticeKnown = useRunNoticeLoaded(campaigns)
  // The table waits for the notice above it, so that nothing shifts. Once displayed, it stays.
  const [isShown, setShown] = useState(false)
  if (!isShown && campaigns && noticeKnown) setShown(true)
  // The server pages by age, so another order is only possible if everything fits one page.
  const hasOnePage = (query.data?.total ?? 0) <= CAMPAIGNS_PAGE_SIZE
  const sort = hasOnePage ? { isOn: isSorted, toggle: () => setSorted(!isSorted) } : undefined
  return {
    query,
    rows: isShown && campaigns ? (sort?.isOn ? sortedByStatus(campaigns) : campaigns) : undefined,
    columns: campaignColumns({ connections, noSender, actions, onViewDms: dms.show }, sort),
    page,
    setPage,
    filter,
    changeFilter: (next: TypedFilter) => {
      setFilter(next)
      setPage(1)
    },
    isFiltered: keyword !== undefined || filter.status !== '',
    isShown,
    mayChange,
    accounts: useAccounts(),
    isConnected: connections(),
    isAnyDisconnected: campaigns?.some((campaign) => isDisconnected(campaign, connections(campaign))) ?? false,
    lost: useLostConnection(),
    realSend,
    queue,
    dms,
  }
}
