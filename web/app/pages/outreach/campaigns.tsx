import { CAMPAIGN_STATUS_TEXTS } from '@x-automated/contract/outreach/campaign-text'
import { CAMPAIGN_STATUSES } from '@x-automated/contract/outreach/campaigns'
import { BookText, FlaskConical, Megaphone, Search } from 'lucide-react'
import { RoleNotice, VIEWER_TEXT } from '../../features/identity/people/role-notice'
import { CampaignForm, isFormFolded } from '../../features/outreach/campaigns/campaign-form'
import { campaignsProblem } from '../../features/outreach/campaigns/campaign-text'
import { CAMPAIGNS_PAGE_SIZE } from '../../features/outreach/campaigns/campaign-watch'
import { DmsDialog } from '../../features/outreach/campaigns/dms-dialog'
import { type TypedFilter, useCampaignsPage } from '../../features/outreach/campaigns/use-campaigns-page'
import { RunNotice } from '../../features/outreach/real-send/run-notice'
import SampleBar from '../../features/overview/sample-data/sample-bar'
import SampleOffer from '../../features/overview/sample-data/sample-offer'
import { pageMeta } from '../../features/overview/shell/page-meta'
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

export const meta = () => pageMeta('Campaigns', 'Message everyone on a list, one by one, at a safe pace.')

/** The form that creates campaigns, and all campaigns with their progress. */
export default function Campaigns() {
  const table = useCampaignsPage()
  const { query, filter, changeFilter, isFiltered, isShown, mayChange, lost, queue } = table
  return (
    <>
      <PageHeader
        title="Campaigns"
        actions={
          <ButtonLink to={paths.templates} icon={<BookText aria-hidden />}>
            Templates
          </ButtonLink>
        }
      />
      <div className="grid gap-10">
        {isInitialLoading(table.accounts) ? (
          // Not the form yet, because a notice may still appear above it.
          <Skeleton className={isFormFolded() ? 'h-18 rounded-lg' : 'h-screen rounded-lg lg:h-195'} />
        ) : (
          <div className="grid gap-4">
            {table.isConnected === false && (
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
                {table.isAnyDisconnected
                  ? 'Active campaigns send nothing until their X account is connected again. Queued messages are kept.'
                  : 'You can prepare campaigns now. Connect an X account to launch them.'}
              </Callout>
            )}
            {mayChange ? (
              <CampaignForm realSend={table.realSend} />
            ) : (
              <RoleNotice needs="member">{VIEWER_TEXT}</RoleNotice>
            )}
          </div>
        )}
        <section className="grid gap-4">
          <div className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-2">
            <h2 className="me-auto text-lg">My Campaigns</h2>
            {(query.data?.total !== 0 || isFiltered) && <CampaignFilters filter={filter} onChange={changeFilter} />}
          </div>
          {isShown && <RunNotice campaigns={query.data?.campaigns} />}
          {query.isError && query.data && (
            <QueryError query={query} tone="warn">
              {campaignsProblem(query.error, true)}
            </QueryError>
          )}
          <PagedTable
            label="My Campaigns"
            stacked
            query={query}
            rows={table.rows}
            columns={table.columns}
            loading="Loading campaigns…"
            failure={(error) => campaignsProblem(error, false)}
            page={table.page}
            pageSize={CAMPAIGNS_PAGE_SIZE}
            onChange={table.setPage}
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
          {table.rows?.some(({ isSample }) => isSample) && <SampleBar />}
        </section>
        {mayChange && query.data?.simulatedQueue && (
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
      {table.dms.render((campaign, props) => (
        // Pass the latest data from the table.
        <DmsDialog campaign={query.data?.campaigns.find(({ id }) => id === campaign.id) ?? campaign} {...props} />
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

/** Searches campaigns by name and status. */
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
