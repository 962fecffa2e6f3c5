import { useQuery } from '@tanstack/react-query'
import { formatMonth } from '@x-automated/contract/format'
import { REPORT_DAYS_MAX, REPORT_DAYS_VALID, REPORT_TITLE_MAX } from '@x-automated/contract/overview/report-limits'
import type { Report } from '@x-automated/contract/overview/reports'
import { CLIENT_REPORTS_TEXT, hasClientReports } from '@x-automated/contract/platform/plans'
import { DAY_MS } from '@x-automated/contract/time'
import { useState } from 'react'
import { api, client, errorText } from '../../../api'
import { latestMonths } from '../../../latest-months'
import { QueryError } from '../../../query-error'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Checkbox } from '../../../ui/choice'
import { Dialog } from '../../../ui/dialog'
import { Field } from '../../../ui/field'
import { FormDialog } from '../../../ui/form-dialog'
import { Input } from '../../../ui/input'
import { lengthProps } from '../../../ui/length-props'
import { SecretDialog } from '../../../ui/secret-dialog'
import { Select } from '../../../ui/select'
import { SkeletonText } from '../../../ui/skeleton'
import type { ControlledDialogProps } from '../../../ui/use-dialogs'
import { useAction } from '../../../use-action'
import { allCampaigns, CAMPAIGN_NAMES } from '../../outreach/campaigns/all-campaigns'
import { SeePlans } from '../../platform/billing/usage-notice'

/** The campaign from whose page the report is shared. */
interface Subject {
  id: string
  name: string
}

/** Creates a client report and shows its link, or says which plan includes reports. */
export function ShareReportDialog({ campaign, ...dialog }: ControlledDialogProps & { campaign: Subject | null }) {
  const overview = useQuery(api.billing.overview.queryOptions())
  const [created, setCreated] = useState<Report | null>(null)
  if (created)
    return (
      <SecretDialog
        title="Report shared"
        description="Anyone with this link can read the report until it expires or you delete it."
        label="Link"
        secret={dialog.open ? (created.url ?? '') : null}
        onClose={dialog.onClose}
      />
    )
  if (overview.data && hasClientReports(overview.data.level))
    return <ShareForm campaign={campaign} onCreated={setCreated} {...dialog} />
  return (
    <Dialog
      {...dialog}
      title="Share report"
      footer={
        <>
          <Button onClick={dialog.onClose}>Close</Button>
          {overview.data && <SeePlans />}
        </>
      }
    >
      {overview.data ? (
        <p>{CLIENT_REPORTS_TEXT}</p>
      ) : overview.isError ? (
        <QueryError query={overview} fallback="Failed to load your plan. Please try again." />
      ) : (
        <SkeletonText lines={2} />
      )}
    </Dialog>
  )
}

/** Days until a report expires. */
const EXPIRIES = [
  { value: '30', label: '30 days' },
  { value: String(REPORT_DAYS_VALID), label: `${REPORT_DAYS_VALID} days` },
  { value: String(REPORT_DAYS_MAX), label: '1 year' },
]
const MONTHS_SHOWN = 24
const WORKSPACE_NAME_MAX = 100

interface ShareFormProps extends ControlledDialogProps {
  campaign: Subject | null
  onCreated: (report: Report) => void
}

function ShareForm({ campaign, onCreated, ...dialog }: ShareFormProps) {
  const campaigns = useQuery({ queryKey: CAMPAIGN_NAMES, queryFn: ({ signal }) => allCampaigns(signal) })
  // Before the first campaign, there is nothing to report.
  const now = new Date()
  const months = latestMonths(now, MONTHS_SHOWN, campaigns.data?.at(-1)?.createdAt ?? now.toISOString())
  const workspace = useQuery(api.auth.me.queryOptions()).data?.workspace
  const [about, setAbout] = useState<string>(campaign?.id ?? months[0] ?? '')
  const [title, setTitle] = useState('')
  const [typedName, setTypedName] = useState<string | null>(null)
  const [days, setDays] = useState(String(REPORT_DAYS_VALID))
  const [includesPeople, setIncludesPeople] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const name = typedName ?? workspace?.name ?? ''
  const nameLength = lengthProps(name, WORKSPACE_NAME_MAX)
  const share = async (input: Parameters<typeof client.reports.create>[0]) => {
    if (workspace && name.trim() !== workspace.name) await client.people.rename({ name })
    return client.reports.create(input)
  }
  const create = useAction(share, {
    onSuccess: onCreated,
    onError: (error) => setProblem(errorText(error, 'Failed to share the report. Please try again.')),
    refetches: [api.reports, api.auth],
  })
  const length = lengthProps(title, REPORT_TITLE_MAX)
  const submit = () => {
    setProblem(null)
    create.run({
      ...(months.includes(about) ? { kind: 'month', month: about } : { kind: 'campaign', campaignId: about }),
      ...(title.trim() === '' ? {} : { title }),
      includesPeople,
      expiresAt: new Date(Date.now() + Number(days) * DAY_MS).toISOString(),
    })
  }
  const names = campaign ? [campaign] : (campaigns.data ?? [])
  return (
    <FormDialog
      {...dialog}
      name="report"
      title="Share report"
      description="A page under your own name, for anyone who has its link."
      label="Share report"
      disabled={length.error !== undefined || nameLength.error !== undefined || name.trim() === ''}
      loading={create.isPending}
      onSubmit={submit}
    >
      {problem && <Callout tone="bad">{problem}</Callout>}
      <div className="grid gap-4 sm:grid-cols-[2fr_1fr]">
        <Field
          label="Report on"
          error={campaigns.isError ? 'Failed to load your campaigns. You can share a month.' : undefined}
        >
          <Select
            value={about}
            onChange={(event) => setAbout(event.currentTarget.value)}
            options={[
              ...names.map(({ id, name }) => ({ value: id, label: name })),
              ...months.map((month) => ({ value: month, label: formatMonth(month) })),
            ]}
          />
        </Field>
        <Field label="Expires in">
          <Select options={EXPIRIES} value={days} onChange={(event) => setDays(event.currentTarget.value)} />
        </Field>
      </div>
      <Field label="Title (optional)" hint="By default, the name of the campaign or month." {...length}>
        <Input autoComplete="off" value={title} onChange={(event) => setTitle(event.currentTarget.value)} />
      </Field>
      <Field
        label="In the name of"
        hint="The name of your workspace. A change applies to all its reports."
        {...nameLength}
        required
      >
        <Input autoComplete="organization" value={name} onChange={(event) => setTypedName(event.currentTarget.value)} />
      </Field>
      <Checkbox
        label="Include the people who replied"
        hint="Their names and handles, and the label of their replies. Anyone with the link can see them."
        checked={includesPeople}
        onChange={(event) => setIncludesPeople(event.currentTarget.checked)}
      />
    </FormDialog>
  )
}
