import { createTanstackQueryUtils } from '@orpc/tanstack-query'
import { useQuery } from '@tanstack/react-query'
import { setLocale } from '@x-automated/contract/format'
import { MINUTE_MS } from '@x-automated/contract/time'
import { FileQuestion } from 'lucide-react'
import { useEffect } from 'react'
import { errorCode } from '../../../api'
import { contractClient } from '../../../contract-client'
import { QueryError } from '../../../query-error'
import { NeedsScript } from '../../../ui/needs-script'
import { LoadingText, Skeleton, SkeletonLine } from '../../../ui/skeleton'
import { ReportView } from './report-view'

// The report's numbers are only rendered in the browser, so they can use its locale.
if (!import.meta.env.SSR) setLocale(navigator.language)

/** An API client without the session of members who open the page, so that everyone gets the same response. */
const api = createTanstackQueryUtils(contractClient())

/** Loads the client report of a token. */
export function Report({ token }: { token: string }) {
  const query = useQuery(api.reports.find.queryOptions({ input: { token }, staleTime: 5 * MINUTE_MS }))
  const report = query.data
  const isMissing = errorCode(query.error) === 'REPORT_NOT_FOUND'
  useEffect(() => {
    if (isMissing) document.title = 'Report not found'
    else if (report) document.title = `${report.title} · ${report.workspace.name}`
  }, [isMissing, report])
  useEffect(() => {
    const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
    if (icon && report?.workspace.logo) icon.href = report.workspace.logo
  }, [report])
  if (isMissing) return <ReportNotFound />
  if (report) return <ReportView report={report} />
  if (query.isError)
    return (
      <div className="mx-auto grid w-full max-w-3xl gap-6 px-4 py-10">
        <h1 className="text-3xl">Report</h1>
        <QueryError query={query} fallback="Failed to load the report. Please try again." />
      </div>
    )
  return <ReportSkeleton />
}

function ReportNotFound() {
  return (
    <div className="mx-auto flex min-h-dvh w-full max-w-xl flex-col items-center justify-center gap-3 px-4 text-center">
      <FileQuestion aria-hidden className="size-8 text-muted" />
      <h1 className="text-3xl">Report not found</h1>
      <p className="text-base text-muted">
        It may have expired, or its link may have a typo. Ask the person who sent you the link for a new one.
      </p>
    </div>
  )
}

export function ReportSkeleton() {
  return (
    <div className="mx-auto grid w-full max-w-3xl gap-8 px-4 py-8 md:py-10">
      <h1 className="sr-only">Report</h1>
      <NeedsScript what="This report" />
      <LoadingText>Loading report…</LoadingText>
      <div className="grid gap-3">
        <SkeletonLine className="w-40" />
        <Skeleton className="h-9 w-72" />
      </div>
      <div className="grid grid-cols-2 gap-6 sm:grid-cols-3">
        {[1, 2, 3, 4, 5, 6].map((index) => (
          <Skeleton key={index} className="h-16" />
        ))}
      </div>
      <Skeleton className="h-84" />
    </div>
  )
}
