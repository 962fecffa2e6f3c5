import { useQuery } from '@tanstack/react-query'
import { formatCount, formatNumber, pluralize } from '@x-automated/contract/format'
import type { Lead } from '@x-automated/contract/leads/leads'
import { MESSAGE_MAX } from '@x-automated/contract/outreach/template'
import { BookText, History, Send, Users } from 'lucide-react'
import { type FormEvent, useRef, useState } from 'react'
import { Link } from 'react-router'
import { api, errorCode, errorText } from '../../../api'
import { isInitialLoading } from '../../../initial-loading'
import { paths } from '../../../paths'
import { QueryError } from '../../../query-error'
import { Button, ButtonLink } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { EmptyState } from '../../../ui/empty-state'
import { Form } from '../../../ui/form'
import { Progress } from '../../../ui/progress'
import { shorten } from '../../../ui/shorten'
import { LoadingText, Skeleton } from '../../../ui/skeleton'
import { useDialogs } from '../../../ui/use-dialogs'
import { RoleNotice, VIEWER_TEXT } from '../../identity/people/role-notice'
import { useIsOffered } from '../../identity/people/use-role'
import { UsageNotice } from '../../platform/billing/usage-notice'
import { TemplateField } from '../campaigns/message-field'
import { LeadPhone } from '../campaigns/message-preview'
import { exampleLead, unknownVariables } from '../campaigns/message-template'
import { TemplatePicker } from '../templates/template-picker'
import { firstText } from '../templates/template-text'
import { LeadsToMessage, useLeadChecklist } from './leads-to-message'
import { RunResults } from './run-results'
import { durationText } from './send-run'
import { useSendRun } from './use-send-run'

/** How many characters of an interrupted run's message are displayed. */
const MESSAGE_PREVIEW = 80
const VARIABLES = [
  { text: '{{first_name}}', hint: 'Their first name, or “there” if their name does not tell it' },
  { text: '{{name}}', hint: "The lead's name" },
  { text: '{{handle}}', hint: 'The X handle, with @' },
]

/** The Messenger tab: sends a message to selected leads, one per second. */
export function Messenger() {
  const form = useRef<HTMLFormElement>(null)
  const [message, setMessage] = useState('')
  /** The user has edited the field or tried to send, so show validation errors. */
  const [touched, setTouched] = useState(false)
  const checklist = useLeadChecklist()
  const templates = useDialogs<'pick'>()
  const run = useSendRun(() => {
    checklist.reset()
    setMessage('')
    setTouched(false)
    // The message is stored as the last one, even if it could not be sent.
    form.current?.reset()
  })
  const connection = useQuery(api.xAccount.status.queryOptions())
  const { leads, picked, total, status, allowRepeat } = checklist
  const running = run.progress !== null
  const first = picked.values().next().value
  const blank = message.trim() === ''
  const mayWrite = useIsOffered('member')
  const [unknown] = unknownVariables(message)
  const isTooLong = message.trim().length > MESSAGE_MAX
  const cannotSend = !mayWrite || picked.size === 0 || blank || isTooLong || running || unknown !== undefined

  const submit = (event?: FormEvent) => {
    event?.preventDefault()
    checklist.touch()
    setTouched(true)
    if (!cannotSend) void run.start({ message, leads: [...picked.values()], allowRepeat })
  }

  const failure = leads.isError && (
    <QueryError query={leads} tone={leads.data ? 'warn' : 'bad'}>
      Failed to fetch leads: {errorCode(leads.error) ? errorText(leads.error, 'Unknown error') : 'Unknown error'}
    </QueryError>
  )
  // If leads have already loaded, keep the selection and the message on the screen.
  if (failure && !leads.data) return failure
  if (leads.data && total === 0 && status === 'all')
    return (
      <EmptyState
        icon={<Users />}
        title="No leads found. Go to the Twitter Scraper to find leads first."
        action={<ButtonLink to={`${paths.xAutomation}?tab=scraper`}>Open X Scraper</ButtonLink>}
      />
    )
  // Wait, because a notice may appear above the form.
  if (isInitialLoading(connection)) return <MessengerSkeleton />
  return (
    <Form
      ref={form}
      name="messenger"
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) submit(event)
      }}
      className="gap-6"
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
      {mayWrite && <InterruptedRun run={run} />}
      <div className="grid grid-cols-1 items-start gap-x-8 gap-y-6 lg:grid-cols-2 xl:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_17rem]">
        <LeadsToMessage checklist={checklist} disabled={running} />
        <section aria-label="Message" className="grid min-w-0 content-start gap-4">
          <RoleNotice needs="member">{VIEWER_TEXT}</RoleNotice>
          <TemplateField
            placeholder="Hi {{first_name}}, I came across {{handle}} and…"
            variables={VARIABLES}
            value={message}
            onChange={(value) => {
              setMessage(value)
              setTouched(true)
            }}
            error={
              touched && blank
                ? 'Please enter a message to send'
                : unknown &&
                  `Unknown variable: ${unknown.written}. ${unknown.instead ? `Write ${unknown.instead}.` : 'Use {{first_name}}, {{name}} or {{handle}}.'}`
            }
            disabled={running}
          />
          <div className="flex flex-wrap gap-2">
            <Button
              size="sm"
              icon={<BookText />}
              disabled={!mayWrite || running}
              onClick={() => templates.show('pick')}
            >
              Start from a template
            </Button>
            {blank && !running && run.lastMessage !== null && (
              <Button
                size="sm"
                icon={<History />}
                disabled={!mayWrite}
                onClick={() => setMessage(run.lastMessage ?? '')}
              >
                Use last message
              </Button>
            )}
          </div>
          <Button type="submit" variant="primary" icon={<Send />} disabled={cannotSend} className="w-fit max-sm:w-full">
            Send DMs to {formatNumber(picked.size)} Leads
          </Button>
          {picked.size > 0 && !running && (
            <p className="text-muted" data-numeric>
              {durationText(picked.size)}{' '}
              <Link to={paths.newCampaign} className="text-link">
                Write a campaign
              </Link>{' '}
              to send in the background, with follow-ups.
            </p>
          )}
          <UsageNotice what="dms" />
          {templates.render((_, props) => (
            <TemplatePicker
              {...props}
              description="Its first message replaces yours."
              onPick={(template) => setMessage(firstText(template))}
            />
          ))}
          <RunResults results={run.results} />
        </section>
        <Preview message={message} lead={first} />
      </div>
      <RunBar run={run} />
    </Form>
  )
}

interface RunProps {
  run: ReturnType<typeof useSendRun>
}

/** The progress of a run, below the form, which stays readable. */
function RunBar({ run: { progress, stopping, stop } }: RunProps) {
  if (!progress) return null
  const { sent, failed, skipped } = progress
  const total = progress.total - skipped
  return (
    <section
      aria-label="Sending"
      className="sticky bottom-[calc(var(--spacing-tab-bar)+--spacing(2))] z-10 flex flex-wrap items-center gap-x-6 gap-y-3 rounded-lg border border-line bg-raised p-4 shadow-md md:bottom-4"
    >
      <div className="grid min-w-56 flex-1 gap-2">
        <p role="status" className="font-strong">
          Sending direct messages... This may take a minute.
        </p>
        <Progress
          label={`${formatNumber(sent + failed)} of ${formatCount(total, 'lead')}`}
          value={sent + failed}
          max={total}
          detail={`${formatNumber(sent)} sent · ${formatNumber(failed)} failed${skipped > 0 ? ` · ${formatNumber(skipped)} skipped` : ''}`}
        />
        <p className="text-muted">
          {stopping
            ? 'Finishing the current message…'
            : 'One message per second. Keep this page open until it finishes.'}
        </p>
      </div>
      <Button onClick={stop} loading={stopping}>
        {stopping ? 'Stopping…' : 'Stop'}
      </Button>
    </section>
  )
}

/** Offers to resume a run that was interrupted in this tab. */
function InterruptedRun({ run: { interrupted, resume, discard } }: RunProps) {
  if (!interrupted) return null
  return (
    <Callout
      title="You have an unfinished send"
      action={
        <span className="flex flex-wrap gap-2">
          <Button size="sm" variant="primary" onClick={resume}>
            Resume
          </Button>
          <Button size="sm" onClick={discard}>
            Discard
          </Button>
        </span>
      }
    >
      {formatCount(interrupted.leads.length, 'lead')} {pluralize(interrupted.leads.length, "hasn't", "haven't")}{' '}
      received “<bdi>{shorten(interrupted.message, MESSAGE_PREVIEW)}</bdi>” yet. Starting another discards it.
    </Callout>
  )
}

function MessengerSkeleton() {
  return (
    <div className="grid gap-6 lg:grid-cols-2 xl:grid-cols-[6fr_5fr_17rem]">
      <LoadingText>Loading leads…</LoadingText>
      <Skeleton className="h-84" />
      <Skeleton className="h-84" />
      <Skeleton className="h-120" />
    </div>
  )
}

/** The message on the phone of the first selected lead, or of an example. */
function Preview({ message, lead }: { message: string; lead: Lead | undefined }) {
  return (
    <section aria-label="Preview" className="grid min-w-0 content-start gap-3">
      <h2 className="text-base">Preview</h2>
      <LeadPhone
        messages={message.trim() === '' ? [] : [{ key: 'message', template: message, when: null }]}
        lead={lead ?? { ...exampleLead, pictureUrl: null }}
        isExample={lead === undefined}
        xAccountId={null}
      />
    </section>
  )
}
