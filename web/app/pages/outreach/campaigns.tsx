import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import { BookText, FlaskConical, Megaphone } from 'lucide-react'
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
import { campaignColumns } from '../../features/outreach/campaigns/campaigns-table'
import { DmsDialog } from '../../features/outreach/campaigns/dms-dialog'
import { useProcessQueue } from '../../features/outreach/campaigns/process-queue'
import { useRealSend } from '../../features/outreach/campaigns/real-send'
import { useNoSender } from '../../features/outreach/real-send/no-sender'
import { RunNotice, useRunNoticeKnown } from '../../features/outreach/real-send/run-notice'
import { pageMeta } from '../../features/overview/shell/page-meta'
import { useAccounts } from '../../features/platform/x-account/use-accounts'
import { isInitialLoading } from '../../initial-loading'
import { PagedTable } from '../../paged-table'
import { paths } from '../../paths'
import { QueryError } from '../../query-error'
import { Button, ButtonLink } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { EmptyState } from '../../ui/empty-state'
import { PageHeader } from '../../ui/page-header'
import { Skeleton } from '../../ui/skeleton'
import { useDialogs } from '../../ui/use-dialogs'

export const meta = () => pageMeta('Campaigns', 'Message everyone on a list, one by one, at a safe pace.')

/** Creates campaigns and lists all with their progress. */
export default function Campaigns() {
  const [page, setPage] = useState(1)
  const dms = useDialogs<Campaign>()
  const campaigns = useCampaigns(page)
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
          // It isn't known yet whether a notice precedes the form.
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
          <div className="flex min-h-9 flex-wrap items-center justify-between gap-3">
            <h2 className="text-lg">My Campaigns</h2>
            {mayChange && campaigns.data?.simulatedQueue && (
              <Button
                icon={<FlaskConical />}
                loading={queue.isProcessing}
                onClick={queue.process}
                title="Marks queued messages as sent or failed without sending them"
              >
                Process DM Queue (Simulated)
              </Button>
            )}
          </div>
          {isShown && <RunNotice campaigns={campaigns.data?.campaigns} />}
          {campaigns.isError && campaigns.data && (
            <QueryError query={campaigns} tone="warn">
              {campaignsProblem(campaigns.error, true)}
            </QueryError>
          )}
          <PagedTable
            label="My Campaigns"
            query={campaigns}
            rows={isShown ? campaigns.data?.campaigns : undefined}
            columns={campaignColumns({ connections, noSender, actions, onViewDms: dms.show })}
            loading="Loading campaigns…"
            failure={(error) => campaignsProblem(error, false)}
            page={page}
            pageSize={CAMPAIGNS_PAGE_SIZE}
            onChange={setPage}
            noun="campaigns"
            empty={
              <EmptyState
                icon={<Megaphone />}
                title={mayChange ? 'No campaigns found. Create one above to get started!' : 'No campaigns yet'}
              />
            }
          />
        </section>
      </div>
      {dms.render((campaign, props) => (
        // The dialog shows the table's latest data.
        <DmsDialog campaign={campaigns.data?.campaigns.find(({ id }) => id === campaign.id) ?? campaign} {...props} />
      ))}
    </>
  )
}
