import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { formatCount, formatNumber, pluralize } from '@x-automated/contract/format'
import type { Lead, OfferedLead } from '@x-automated/contract/leads/leads'
import type { MessengerFilter } from '@x-automated/contract/outreach/messages'
import { Send, Users } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { api, client } from '../../../api'
import { isInitialLoading } from '../../../initial-loading'
import { paths } from '../../../paths'
import { QueryError } from '../../../query-error'
import { Button, ButtonLink } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Checkbox } from '../../../ui/choice'
import { EmptyState } from '../../../ui/empty-state'
import { Field, FieldError } from '../../../ui/field'
import { Select } from '../../../ui/select'
import { shorten } from '../../../ui/shorten'
import { LoadingText, Skeleton } from '../../../ui/skeleton'
import { canBeMessaged, filterStatusOf } from '../../leads/leads/lead-status'
import { RoleNotice, VIEWER_TEXT } from '../../overview/settings/role-notice'
import { useIsOffered } from '../../overview/settings/use-role'
import { UsageNotice } from '../../platform/billing/usage-notice'
import { Pieces } from '../campaigns/message-preview'
import { previewOf, unknownPlaceholders } from '../campaigns/message-template'
import { ChecklistSkeleton, LeadChecklist } from './lead-checklist'
import { MessageField } from './message-field'
import { fetchProblem } from './messenger-text'
import { RunDialog } from './run-dialog'
import { useSendRun } from './use-send-run'

const PAGE_SIZE = 100
const FILTERS: readonly { value: MessengerFilter; label: string }[] = [
  { value: 'all', label: 'All Leads' },
  { value: 'pending', label: 'Pending' },
  { value: 'sent', label: 'Sent' },
  { value: 'failed', label: 'Failed' },
]
/** Characters shown of an interrupted run's message. */
const MESSAGE_PREVIEW = 80
const NONE: ReadonlyMap<string, OfferedLead> = new Map()

/** The Messenger tab: sends a message to selected leads, one per second. */
export function Messenger() {
  const [status, setStatus] = useState<MessengerFilter>('all')
  const [picked, setPicked] = useState(NONE)
  const [allowRepeat, setAllowRepeat] = useState(false)
  const [message, setMessage] = useState('')
  /** Fields that the user has edited or tried to send. Only these show validation errors. */
  const [touched, setTouched] = useState({ leads: false, message: false })
  const run = useSendRun(() => {
    setPicked(NONE)
    setMessage('')
    setTouched({ leads: false, message: false })
  })
  const connection = useQuery(api.xAccount.status.queryOptions())
  const leads = useInfiniteQuery({
    queryKey: [...api.messages.leads.key(), 'checklist', status],
    queryFn: ({ pageParam, signal }) =>
      client.messages.leads(
        { status, page: 1, pageSize: PAGE_SIZE, ...(pageParam ? { cursor: pageParam } : {}) },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: (page) => page.cursor ?? undefined,
  })
  const shown = leads.data?.pages.flatMap((page) => page.leads) ?? []
  const total = leads.data?.pages[0]?.total ?? 0
  const canPick = (lead: OfferedLead) =>
    canBeMessaged(lead) || (allowRepeat && !lead.suppressed && filterStatusOf(lead) === 'sent')
  const pickable = shown.filter(canPick)
  const allPicked = pickable.length > 0 && pickable.every(({ id }) => picked.has(id))
  const running = run.progress !== null
  const first = picked.values().next().value
  const blank = message.trim() === ''
  const mayWrite = useIsOffered('member')
  const cannotSend =
    !mayWrite || picked.size === 0 || blank || running || unknownPlaceholders(message, 'messenger').length > 0

  const pick = (changed: readonly OfferedLead[], on: boolean) => {
    setPicked((before) => {
      const after = new Map(before)
      for (const lead of changed) on ? after.set(lead.id, lead) : after.delete(lead.id)
      return after
    })
    setTouched((before) => ({ ...before, leads: true }))
  }
  const submit = (event?: FormEvent) => {
    event?.preventDefault()
    setTouched({ leads: true, message: true })
    if (!cannotSend) void run.start({ message, leads: [...picked.values()], allowRepeat })
  }

  const failure = leads.isError && (
    <QueryError query={leads} tone={leads.data ? 'warn' : 'bad'}>
      {fetchProblem(leads.error)}
    </QueryError>
  )
  // If leads are loaded, the selection and the message stay on the screen.
  if (failure && !leads.data) return failure
  if (leads.data && total === 0 && status === 'all')
    return (
      <EmptyState
        icon={<Users aria-hidden />}
        title="No leads found. Go to the Twitter Scraper to find leads first."
        action={<ButtonLink to={`${paths.xAutomation}?tab=scraper`}>Open X Scraper</ButtonLink>}
      />
    )
  // Waits until it is known whether a notice precedes the form.
  if (isInitialLoading(connection)) return <MessengerSkeleton />
  return (
    <form
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) submit(event)
      }}
      className="grid gap-6"
    >
      {connection.data?.connected === false && (
        <Callout
          tone="warn"
          action={
            <ButtonLink size="sm" to={`${paths.xAutomation}?tab=connect`}>
              Connect X
            </ButtonLink>
          }
        >
          No X account is connected. Connect one to send messages.
        </Callout>
      )}
      {failure}
      {run.notMessaged && <Callout tone="warn">{run.notMessaged}</Callout>}
      {run.interrupted && mayWrite && (
        <Callout
          title="You have an unfinished send"
          action={
            <span className="flex flex-wrap gap-2">
              <Button size="sm" variant="primary" onClick={run.resume}>
                Resume
              </Button>
              <Button size="sm" onClick={run.discard}>
                Discard
              </Button>
            </span>
          }
        >
          {formatCount(run.interrupted.leads.length, 'lead')}{' '}
          {pluralize(run.interrupted.leads.length, "hasn't", "haven't")} received “
          <bdi>{shorten(run.interrupted.message, MESSAGE_PREVIEW)}</bdi>” yet. Starting another discards it.
        </Callout>
      )}
      <UsageNotice what="dms" />
      <div className="grid items-start gap-6 lg:grid-cols-2">
        <section aria-label="Leads" className="grid min-w-0 gap-3">
          <Field label="Filter leads">
            <Select
              value={status}
              disabled={running}
              options={FILTERS}
              onChange={(event) => {
                setStatus(event.currentTarget.value as MessengerFilter)
                setPicked(NONE)
                setTouched({ leads: false, message: touched.message })
              }}
            />
          </Field>
          <div className="flex min-h-8 flex-wrap items-center justify-between gap-2">
            <h2 className="text-base" data-numeric>
              Select Leads ({formatNumber(total)})
            </h2>
            <Button
              size="sm"
              variant="ghost"
              disabled={running || pickable.length === 0}
              onClick={() => pick(allPicked ? [...picked.values()] : pickable, !allPicked)}
            >
              {allPicked ? 'Deselect All' : 'Select All'}
            </Button>
          </div>
          {leads.isPending ? (
            <>
              <LoadingText>Loading leads…</LoadingText>
              <ChecklistSkeleton />
            </>
          ) : total === 0 ? (
            <EmptyState icon={<Users aria-hidden />} title="No leads found with the selected filter." />
          ) : (
            <LeadChecklist
              leads={shown}
              total={total}
              picked={new Set(picked.keys())}
              canPick={canPick}
              onPick={(lead, on) => pick([lead], on)}
              loadMore={leads.hasNextPage && !leads.isFetching ? () => void leads.fetchNextPage() : undefined}
              disabled={running}
            />
          )}
          {touched.leads && picked.size === 0 && <FieldError>Please select at least one lead to message</FieldError>}
          <Checkbox
            label="Include leads already contacted"
            hint="Queued and suppressed leads are always skipped."
            checked={allowRepeat}
            disabled={running}
            onChange={(event) => {
              setAllowRepeat(event.currentTarget.checked)
              if (!event.currentTarget.checked)
                setPicked((before) => new Map([...before].filter(([, lead]) => canBeMessaged(lead))))
            }}
          />
          {shown.length < total && (
            <p className="text-muted" data-numeric>
              {formatNumber(shown.length)} of {formatCount(total, 'lead')} loaded. Scroll the list for more.
            </p>
          )}
        </section>
        <section aria-label="Message" className="grid min-w-0 content-start gap-4">
          <RoleNotice needs="member">{VIEWER_TEXT}</RoleNotice>
          <MessageField
            value={message}
            onChange={(value) => {
              setMessage(value)
              setTouched((before) => ({ ...before, message: true }))
            }}
            error={touched.message && blank ? 'Please enter a message to send' : undefined}
            disabled={running}
          />
          <Preview message={message} lead={first} />
          <Button type="submit" variant="primary" icon={<Send aria-hidden />} disabled={cannotSend} className="w-fit">
            Send DMs to {formatNumber(picked.size)} Leads
          </Button>
        </section>
      </div>
      <RunDialog progress={run.progress} stopping={run.stopping} onStop={run.stop} />
    </form>
  )
}

function MessengerSkeleton() {
  return (
    <div className="grid gap-6 lg:grid-cols-2">
      <LoadingText>Loading leads…</LoadingText>
      <Skeleton className="h-84" />
      <Skeleton className="h-84" />
    </div>
  )
}

/** The message as the first selected lead will see it. */
function Preview({ message, lead }: { message: string; lead: Lead | undefined }) {
  return (
    <section aria-label="Preview" className="grid gap-2 rounded-lg border border-line bg-sunken p-4">
      <h3 className="flex flex-wrap items-baseline justify-between gap-x-3 font-strong">
        Preview
        {lead && <span className="font-normal text-muted">for @{lead.twitterHandle}</span>}
      </h3>
      {!lead || message.trim() === '' ? (
        <p className="text-muted">
          {lead ? 'Preview your message as this lead will see it.' : 'Select a lead to preview the message.'}
        </p>
      ) : (
        <p className="max-h-72 overflow-y-auto rounded-lg rounded-es-sm border border-line bg-surface px-4 py-3 whitespace-pre-wrap wrap-anywhere">
          <Pieces pieces={previewOf(message, lead, 'messenger')} />
        </p>
      )}
    </section>
  )
}
