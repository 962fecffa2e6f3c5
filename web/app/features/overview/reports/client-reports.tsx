import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Report } from '@x-automated/contract/overview/reports'
import { CLIENT_REPORTS_TEXT, hasClientReports } from '@x-automated/contract/platform/plans'
import { ExternalLink, FileChartColumn, Share2, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { api, client } from '../../../api'
import { paths } from '../../../paths'
import { QueryError } from '../../../query-error'
import { Button, IconButton, iconButtonClass } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { CopyButton } from '../../../ui/copy-button'
import { CreatedBy } from '../../../ui/created-by'
import { DateTime } from '../../../ui/date-time'
import { EmptyState } from '../../../ui/empty-state'
import { Pager } from '../../../ui/pager'
import { LoadingText } from '../../../ui/skeleton'
import { Table, Td, Tr } from '../../../ui/table'
import { useDialogs } from '../../../ui/use-dialogs'
import { useFocusFallback } from '../../../ui/use-focus-fallback'
import { useAction } from '../../../use-action'
import { useHasRole } from '../../identity/people/use-role'
import { PlanStatus } from '../../platform/billing/plan-status'
import { SeePlans } from '../../platform/billing/usage-notice'
import { ShareReportDialog } from './share-report-dialog'

const PAGE_SIZE = 50

/** The workspace's client reports, for members. Admins can share and delete them. */
export function ClientReports() {
  const isMember = useHasRole('member')
  const isAdmin = useHasRole('admin') ?? false
  const [page, setPage] = useState(1)
  const list = useQuery({
    ...api.reports.list.queryOptions({ input: { page, pageSize: PAGE_SIZE } }),
    placeholderData: keepPreviousData,
    enabled: isMember === true,
  })
  const overview = useQuery(api.billing.overview.queryOptions())
  const dialogs = useDialogs<null>()
  // When the last report is deleted, the table disappears.
  const focusFallback = useFocusFallback<HTMLElement>()
  const isIncluded = overview.data && hasClientReports(overview.data.level)
  const reports = overview.isPending ? undefined : list.data?.reports
  // Viewers cannot list reports.
  if (isMember === false) return null
  return (
    <section {...focusFallback} aria-labelledby="client-reports" className="grid grid-cols-1 gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <div className="grid gap-0.5">
          <h2 id="client-reports" className="text-base">
            Client reports
          </h2>
          <p className="text-muted">
            Pages with these results under your own{' '}
            <Link className="text-link" to={`${paths.settings}?tab=workspace`}>
              logo, name and color
            </Link>
            .
          </p>
        </div>
        {isAdmin && isIncluded && (
          <Button icon={<Share2 aria-hidden />} onClick={() => dialogs.show(null)}>
            Share report
          </Button>
        )}
      </div>
      {isIncluded === false && (
        <Callout title="Your plan doesn't include client reports" action={<SeePlans />}>
          {CLIENT_REPORTS_TEXT}
        </Callout>
      )}
      {list.isError && !reports ? (
        <QueryError query={list} fallback="Failed to load the client reports. Please try again." />
      ) : reports?.length === 0 && page === 1 ? (
        isIncluded !== false && (
          <EmptyState icon={<FileChartColumn aria-hidden />} title="No client reports yet">
            {isAdmin
              ? 'Share the results of a month or a campaign with a link.'
              : 'The owner and admins can share the results of a month or a campaign.'}
          </EmptyState>
        )
      ) : (
        <>
          {!reports && <LoadingText>Loading client reports…</LoadingText>}
          <Table
            label="Client reports"
            columns={['Report', 'Created', 'Expires', 'Status', 'Link', { name: 'Actions', hidden: true }]}
            skeletonRows={2}
            stale={list.isPlaceholderData}
          >
            {reports?.map((report) => (
              <ReportRow key={report.id} report={report} isAdmin={isAdmin} />
            ))}
          </Table>
          <Pager page={page} pageSize={PAGE_SIZE} query={list} onChange={setPage} noun="reports" />
        </>
      )}
      {dialogs.render((_, props) => (
        <ShareReportDialog campaign={null} {...props} />
      ))}
    </section>
  )
}

function ReportRow({ report, isAdmin }: { report: Report; isAdmin: boolean }) {
  const { id, title, url, includesPeople, status, createdBy, createdAt, expiresAt } = report
  const remove = useAction(() => client.reports.remove({ id }), {
    question: {
      title: `Delete the report “${title}”?`,
      body: "Its link stops working immediately. This can't be undone.",
      confirm: 'Delete report',
      danger: true,
    },
    done: 'Report deleted.',
    failed: 'Failed to delete the report. Please try again.',
    refetches: [api.reports],
  })
  return (
    <Tr>
      <Td>
        <span className="grid min-w-0 max-md:me-12">
          <span className="font-strong wrap-anywhere">{title}</span>
          {includesPeople && <span className="text-muted">Names the people who replied</span>}
        </span>
      </Td>
      <Td label="Created">
        <CreatedBy at={createdAt} by={createdBy} />
      </Td>
      <Td label="Expires" className="md:whitespace-nowrap">
        <DateTime value={expiresAt} precision="day" />
      </Td>
      <Td label="Status">
        <PlanStatus status={status} />
      </Td>
      <Td label="Link">
        {status !== 'active' ? (
          <span className="text-muted">{status === 'plan' ? 'Works again after an upgrade' : 'No longer works'}</span>
        ) : url ? (
          <span className="flex flex-wrap items-center gap-1">
            <CopyButton size="sm" text={url} label="Copy link" />
            <a
              href={url}
              target="_blank"
              rel="noopener noreferrer"
              aria-label={`Open ${title}`}
              title="Opens in a new tab"
              className={iconButtonClass({ size: 'sm' })}
            >
              <ExternalLink aria-hidden />
            </a>
          </span>
        ) : (
          <span className="text-muted">Works, but can't be shown again</span>
        )}
      </Td>
      <Td corner end>
        {isAdmin && (
          <IconButton
            icon={<Trash2 />}
            size="sm"
            label={`Delete ${title}`}
            loading={remove.isPending}
            onClick={() => remove.run()}
          />
        )}
      </Td>
    </Tr>
  )
}
