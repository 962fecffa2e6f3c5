import { CAMPAIGN_STATUS_TEXTS } from '@x-automated/contract/outreach/campaign-text'
import { CAMPAIGN_STATUSES, type Campaign, type CampaignStatus } from '@x-automated/contract/outreach/campaigns'
import { BookText, FlaskConical, Megaphone, Search } from 'lucide-react'
import { useState } from 'react'
import { RoleNotice, VIEWER_TEXT } from '../../features/identity/people/role-notice'
import { useIsOffered } from '../../features/identity/people/use-role'
import { useCampaignActions } from '../../features/outreach/campaigns/campaign-actions'
import { CampaignForm, isFormFolded } from '../../features/outreach/campaigns/campaign-form'
import { isDisconnected } from '../../features/outreach/campaigns/campaign-progress'
import { campaignsProblem } from '../../features/outreach/campaigns/campaign-text'
import {
  CAMPAIGNS_PAGE_SIZE,
  useCampaigns,
  useLostConnection,
  useXConnections,
} from '../../features/outreach/campaigns/campaign-watch'
import { campaignColumns, sortedByStatus } from '../../features/outreach/campaigns/campaigns-table'
import { DmsDialog } from '../../features/outreach/campaigns/dms-dialog'
import { useProcessQueue } from '../../features/outreach/campaigns/process-queue'
import { useRealSend } from '../../features/outreach/campaigns/real-send'
import { useNoSender } from '../../features/outreach/real-send/no-sender'
import { RunNotice, useRunNoticeKnown } from '../../features/outreach/real-send/run-notice'
import SampleBar from '../../features/overview/sample-data/sample-bar'
import SampleOffer from '../../features/overview/sample-data/sample-offer'
import { pageMeta } from '../../features/overview/shell/page-meta'
import { useAccounts } from '../../features/platform/x-account/use-accounts'
import { isInitialLoading } from '../../initial-loading'
import { PagedTable } from '../../paged-table'
import { paths } from '../../paths'
import { QueryError } from '../../query-error'
import { Button, ButtonLink } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { EmptyState } from '../../ui/empty-state'
import { Input } from '../../ui/input'
import { PageHeader } from '../../ui/page-header'
import { Select } from '../../ui/select'
import { Skeleton } from '../../ui/skeleton'
import { useDebouncedValue } from '../../ui/use-debounced-value'
import { useDialogs } from '../../ui/use-dialogs'

const SEARCH_DEBOUNCE_MS = 250

/** The filter as it is typed; '': no filter. */
interface TypedFilter {
  typed: string
  status: CampaignStatus | ''
}

export const meta = () => pageMeta('Campaigns', 'Message everyone on a list, one by one, at a safe pace.')

/** The form that creates campaigns, and all campaigns with their progress. */
export default function Campaigns() {
  const [page, setPage] = useState(1)
  const [filter, setFilter] = useState<TypedFilter>({ typed: '', status: '' })
  const keyword = useDebouncedValue(filter.typed.replaceAll('\0', '').trim() || undefined, SEARCH_DEBOUNCE_MS)
  const isFiltered = keyword !== undefined || filter.status !== ''
  const changeFilter = (next: TypedFilter) => {
    setFilter(next)
    setPage(1)
  }
  const [isSorted, setSorted] = useState(false)
  const dms = useDialogs<Campaign>()
  const campaigns = useCampaigns(page, { keyword, status: filter.status || undefined })
  const realSend = useRealSend(campaigns.data?.campaigns)
  const actions = useCampaignActions(realSend)
  const queue = useProcessQueue()
  const mayChange = useIsOffered('member')
  const connections = useXConnections(campaigns.data?.campaigns)
  const noSender = useNoSender(campaigns.data?.campaigns, campaigns.dataUpdatedAt)
  const noticeKnown = useRunNoticeKnown(campaigns.data?.campaigns)
  // The table waits for the notice above it, so that nothing shifts. Once shown, it stays.
  const [isShown, setShown] = useState(false)
  if (!isShown && campaigns.data && noticeKnown) setShown(true)
  // The server sorts by age. A table can be sorted otherwise only if it has one page.
  const hasOnePage = (campaigns.data?.total ?? 0) <= CAMPAIGNS_PAGE_SIZE
  const sort = hasOnePage ? { isOn: isSorted, toggle: () => setSorted(!isSorted) } : undefined
  const loaded = campaigns.data?.campaigns
  const rows = loaded && sort?.isOn ? sortedByStatus(loaded) : loaded
  const accounts = useAccounts()
  const lost = useLostConnection()
  const isAnyDisconnected =
    campaigns.data?.campaigns.some((campaign) => isDisconnected(campaign, connections(campaign))) ?? false
  return (
    <>
      <PageHeader
        title="Campaigns"
        description="Message everyone on a list, one by one, at a safe pace."
        actions={
          <ButtonLink to={paths.templates} icon={<BookText aria-hidden />}>
            Templates
          </ButtonLink>
        }
      />
      <div className="grid gap-10">
        {isInitialLoading(accounts) ? (
          // It is unknown yet whether a notice precedes the form.
          <Skeleton className={isFormFolded() ? 'h-18 rounded-lg' : 'h-screen rounded-lg lg:h-195'} />
        ) : (
          <div className="grid gap-4">
            {connections() === false && (
              <Callout
                tone="warn"
                title={lost ? `The connection to @${lost.handle} was lost` : 'No X account is connected'}
                action={
                  <ButtonLink size="sm" to={paths.xAutomation}>
                    Connect X
                  </ButtonLink>
                }
              >
                {lost && `${lost.reason} `}
                {isAnyDisconnected
                  ? 'Active campaigns send nothing until their X account is connected again. Queued messages are kept.'
                  : 'You can prepare campaigns now. Connect an X account to launch them.'}
              </Callout>
            )}
            {mayChange ? <CampaignForm realSend={realSend} /> : <RoleNotice needs="member">{VIEWER_TEXT}</RoleNotice>}
          </div>
        )}
        <section className="grid gap-4">
          <div className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-2">
            <h2 className="me-auto text-lg">My Campaigns</h2>
            {(campaigns.data?.total !== 0 || isFiltered) && <CampaignFilters filter={filter} onChange={changeFilter} />}
          </div>
          {isShown && <RunNotice campaigns={campaigns.data?.campaigns} />}
          {campaigns.isError && campaigns.data && (
            <QueryError query={campaigns} tone="warn">
              {campaignsProblem(campaigns.error, true)}
            </QueryError>
          )}
          <PagedTable
            label="My Campaigns"
            stacked
            query={campaigns}
            rows={isShown ? rows : undefined}
            columns={campaignColumns({ connections, noSender, actions, onViewDms: dms.show }, sort)}
            loading="Loading campaigns…"
            failure={(error) => campaignsProblem(error, false)}
            page={page}
            pageSize={CAMPAIGNS_PAGE_SIZE}
            onChange={setPage}
            noun="campaigns"
            empty={
              isFiltered ? (
                <EmptyState
                  icon={<Search />}
                  title="No campaigns match"
                  action={<Button onClick={() => changeFilter({ typed: '', status: '' })}>Show all</Button>}
                />
              ) : (
                <EmptyState
                  icon={<Megaphone />}
                  title={mayChange ? 'No campaigns found. Create one above to get started!' : 'No campaigns yet'}
                  action={<SampleOffer />}
                />
              )
            }
          />
          {isShown && rows?.some(({ isSample }) => isSample) && <SampleBar />}
        </section>
        {mayChange && campaigns.data?.simulatedQueue && (
          <section aria-labelledby="test-tools" className="grid justify-items-start gap-3 border-t border-line pt-6">
            <div className="grid gap-1">
              <h2 id="test-tools" className="text-base">
                Test tools
              </h2>
              <p className="text-muted">Marks queued messages as sent or failed without sending them.</p>
            </div>
            <Button icon={<FlaskConical />} loading={queue.isProcessing} onClick={queue.process}>
              Process DM Queue (Simulated)
            </Button>
          </section>
        )}
      </div>
      {dms.render((campaign, props) => (
        // The dialog shows the table's latest data.
        <DmsDialog campaign={campaigns.data?.campaigns.find(({ id }) => id === campaign.id) ?? campaign} {...props} />
      ))}
    </>
  )
}

const STATUS_OPTIONS = [
  { value: '', label: 'All statuses' },
  ...CAMPAIGN_STATUSES.map((status) => ({ value: status, label: CAMPAIGN_STATUS_TEXTS[status] })),
]

interface CampaignFiltersProps {
  filter: TypedFilter
  onChange: (filter: TypedFilter) => void
}

/** Finds campaigns by name and status. */
function CampaignFilters({ filter, onChange }: CampaignFiltersProps) {
  return (
    <>
      <div className="w-64 max-sm:w-full">
        <Input
          type="search"
          aria-label="Search campaigns"
          placeholder="Search by name"
          leading={<Search />}
          maxLength={200}
          value={filter.typed}
          onChange={(event) => onChange({ ...filter, typed: event.currentTarget.value })}
        />
      </div>
      <Select
        aria-label="Status of campaigns"
        className="w-40 max-sm:w-full"
        value={filter.status}
        options={STATUS_OPTIONS}
        onChange={(event) => onChange({ ...filter, status: event.currentTarget.value as TypedFilter['status'] })}
      />
    </>
  )
}
