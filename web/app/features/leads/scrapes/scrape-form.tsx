import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { formatCount } from '@x-automated/contract/format'
import {
  FOLLOWER_SLIDERS,
  KEYWORD_LENGTH_MAX,
  KEYWORDS_MAX,
  LOOK_PEOPLE_MAX,
} from '@x-automated/contract/leads/scrape-limits'
import type { Scrape } from '@x-automated/contract/leads/scrapes'
import { Download, Eye, Search, SlidersHorizontal } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import { Controller, type UseFormReturn, useForm } from 'react-hook-form'
import { Link, useLocation, useSearchParams } from 'react-router'
import { api, type client, errorCode, errorText } from '../../../api'
import { isInitialLoading } from '../../../initial-loading'
import { paths } from '../../../paths'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { ChipsInput, withChip } from '../../../ui/chips-input'
import { cn } from '../../../ui/cn'
import { Field } from '../../../ui/field'
import { Form } from '../../../ui/form'
import { Input, PasswordInput } from '../../../ui/input'
import { Segments } from '../../../ui/segments'
import { Select } from '../../../ui/select'
import { Skeleton, SkeletonField } from '../../../ui/skeleton'
import { submitTyped } from '../../../ui/use-typed-text'
import { ADMINS_CONNECT, RoleNotice } from '../../identity/people/role-notice'
import { useIsOffered } from '../../identity/people/use-role'
import { SeePlans, UsageNotice } from '../../platform/billing/usage-notice'
import { ConnectWithX } from '../../platform/x-account/connect-with-x'
import { useCostConfirmation } from './cost-confirmation'
import { useLeadsUsage } from './finder-bar'
import { FollowerRange } from './follower-range'
import { LookPanel, LookSkeleton } from './look-panel'
import {
  CREDENTIALS_REQUIRED,
  defaultLeadLimit,
  isSessionError,
  LEAD_LIMITS,
  lookText,
  type ScrapeSource,
  SESSION_EXPIRED,
  usedUpText,
} from './scrape-text'
import { FORM_FIELDS, SOURCES, SourceField, sourceIn, sourceProblem, type Values } from './source-field'
import type { LookState } from './use-look'

const NOT_CONNECTED = 'No X account is connected.'

interface ScrapeFormProps {
  /** Whether a scrape is in progress: it is running, or waits until X is connected next to this form. */
  busy: false | 'running' | 'disconnected'
  /** Whether leads are shown below. Using them is then the main action. */
  hasResults: boolean
  /** Whether X must be connected, for the first time or again, before a scrape can start. */
  askCredentials: boolean
  onAskCredentials: (ask: boolean) => void
  onStarted: (scrape: Scrape) => void
  look: LookState
}

/** Looks at the people of a source, and starts a scrape that saves them. */
export function ScrapeForm({ busy, hasResults, askCredentials, onAskCredentials, onStarted, look }: ScrapeFormProps) {
  const mayConnect = useIsOffered('admin')
  const connection = useQuery(api.xAccount.status.queryOptions())
  const form = useForm<Values>({
    defaultValues: {
      type: 'followers',
      handle: '',
      postUrl: '',
      listUrl: '',
      handles: '',
      minFollowers: FOLLOWER_SLIDERS.min.default,
      maxFollowers: FOLLOWER_SLIDERS.max.default,
      keywords: [],
      leadLimit: '',
      keyword: '',
      username: '',
      password: '',
    },
  })
  useNamedHandle(form)
  const { errors } = form.formState
  const create = useCreateScrape(form, onAskCredentials, onStarted)
  const confirmStart = useCostConfirmation()
  // On phones, the filters are hidden at first if there are people below.
  const [showsFilters, setShowsFilters] = useState(false)
  const isCompact = hasResults || look.data !== undefined
  const isRunning = create.isPending || busy === 'running'
  const isNotConnected = connection.data?.connected === false && lostReasonOf(connection.data) === null
  const byPassword = connection.data?.methods.includes('password') ?? true
  const element = useRef<HTMLFormElement>(null)
  const saveButton = useRef<HTMLButtonElement>(null)
  const usedUpId = useId()

  const values = form.watch()
  const { type, keyword } = values
  const offered = connection.data?.sources ?? []
  const fieldError = errors[FORM_FIELDS[type]]?.message
  const usage = useLeadsUsage()
  const left = usage && usage.limit !== null ? Math.max(0, usage.limit - usage.used) : null
  const leadLimit = Number(values.leadLimit) || defaultLeadLimit(left)

  const credentialsOf = ({ username, password }: Values) =>
    askCredentials && byPassword && mayConnect
      ? { credentials: { username: username.trim().replace(/^@/, ''), password } }
      : {}
  const start = async (submitted: Values, source: ScrapeSource) => {
    // Includes a keyword that has been typed but not added yet.
    const keywords = withChip(submitted.keywords, submitted.keyword)
    form.setValue('keywords', keywords)
    form.setValue('keyword', '')
    const { minFollowers, maxFollowers } = submitted
    const wanted = { ...source, maxResults: leadLimit }
    if (connection.data?.connected && !(await confirmStart(wanted))) return
    submitTyped(element.current, () =>
      create.mutate({ ...wanted, minFollowers, maxFollowers, keywords, ...credentialsOf(submitted) }),
    )
  }
  const scrape = form.handleSubmit((submitted) => start(submitted, sourceIn(submitted)))
  const submit = form.handleSubmit((submitted) => {
    const source = sourceIn(submitted)
    if (source.twitterHandle) form.setValue('handle', source.twitterHandle)
    // Looking again would show the same people and use up a look.
    if (saveButton.current && isSameSource(look.data?.source, source)) return saveButton.current.focus()
    create.reset()
    look.mutate(
      { source, ...credentialsOf(submitted) },
      {
        onSuccess: () => {
          form.resetField('username')
          form.resetField('password')
          onAskCredentials(false)
        },
        onError: (error) => {
          if (errorCode(error) === 'X_NOT_CONNECTED') onAskCredentials(true)
          showProblem(form, error)
        },
      },
    )
  })

  if (isInitialLoading(connection)) return <ScrapeFormSkeleton />
  return (
    <Form
      ref={element}
      name="find-leads"
      aria-label="Find leads"
      className="grid-cols-1 gap-5"
      isPreview
      onSubmit={submit}
    >
      {connection.data && !askCredentials && busy !== 'disconnected' && <NotConnected connection={connection.data} />}
      <div className="grid gap-3">
        <div className="flex flex-wrap items-start gap-3">
          <SourceField form={form} type={type} error={fieldError} />
          <div className="mt-6.5 flex gap-3 max-sm:mt-0 max-sm:w-full max-sm:gap-2">
            <Button
              type="submit"
              variant={hasResults || look.data ? 'secondary' : 'primary'}
              size="lg"
              className="min-h-14 max-sm:min-h-12 max-sm:flex-1 max-sm:px-2 max-sm:text-sm max-sm:[&_svg]:hidden"
              icon={<Eye />}
              loading={look.isPending}
              disabled={busy === 'disconnected'}
            >
              {look.isPending ? 'Looking…' : `Look at ${LOOK_PEOPLE_MAX} people`}
            </Button>
            <Button
              size="lg"
              className="min-h-14 max-sm:min-h-12 max-sm:flex-1 max-sm:px-2 max-sm:text-sm max-sm:[&_svg]:hidden"
              icon={<Search />}
              loading={isRunning || form.formState.isSubmitting}
              disabled={busy === 'disconnected' || left === 0}
              aria-describedby={left === 0 ? usedUpId : undefined}
              onClick={scrape}
            >
              {isRunning ? 'Scraping...' : 'Start Scraping'}
            </Button>
          </div>
        </div>
        {connection.data && (
          <p className="text-muted" data-numeric>
            {lookText(type, connection.data, look.data?.looksLeft ?? null)}
          </p>
        )}
        {usage && left === 0 && (
          <p id={usedUpId} className="text-muted" data-numeric>
            {usedUpText(usage.limit ?? 0, new Date())}
          </p>
        )}
        <div className="overflow-x-auto *:w-max max-sm:-mx-4 max-sm:px-4">
          <Segments
            label="Scrape Type"
            value={type}
            onChange={(next) => form.setValue('type', next)}
            options={SOURCES.filter(({ value }) => value.startsWith('follow') || offered.includes(value))}
          />
        </div>
      </div>
      {askCredentials && <Credentials form={form} isNotConnected={isNotConnected} byPassword={byPassword} />}
      {isRejected(create.error) && (
        <Callout tone="bad" action={errorCode(create.error) === 'PLAN_LIMIT' && <SeePlans />}>
          {errorText(create.error, 'Failed to scrape X followers')}
        </Callout>
      )}
      {isRejected(look.error) && (
        <Callout tone={errorCode(look.error) === 'PLAN_LIMIT' ? 'info' : 'bad'}>
          {errorText(look.error, 'Failed to look at these people. Please try again.')}
        </Callout>
      )}
      {isCompact && (
        <Button
          variant="ghost"
          icon={<SlidersHorizontal />}
          aria-expanded={showsFilters}
          onClick={() => setShowsFilters(!showsFilters)}
          className="w-fit sm:hidden"
        >
          {showsFilters ? 'Hide filters' : 'Filters'}
        </Button>
      )}
      <div
        className={cn(
          'grid gap-x-8 gap-y-5 border-t border-hair pt-5 sm:grid-cols-2 lg:grid-cols-3',
          isCompact && !showsFilters && 'max-sm:hidden',
        )}
      >
        <div className="grid content-start gap-4">
          <FollowerRange form={form} />
        </div>
        <div className="grid content-start gap-4">
          <Field label="Bio keyword filter" aside={<span className="text-xs">Match any</span>}>
            <Controller
              control={form.control}
              name="keywords"
              render={({ field }) => (
                <ChipsInput
                  values={field.value}
                  onChange={field.onChange}
                  typed={keyword}
                  onType={(next) => form.setValue('keyword', next)}
                  noun="keyword"
                  most={KEYWORDS_MAX}
                  maxLength={KEYWORD_LENGTH_MAX}
                  placeholder="Add a keyword"
                  empty="No keywords added. Will match all profiles."
                />
              )}
            />
          </Field>
        </div>
        <div className="grid content-start gap-4">
          {left !== 0 && (
            <>
              <Field label="Lead limit" hint="Stops when this many leads are found.">
                <Select
                  options={[...new Set([...LEAD_LIMITS, leadLimit, defaultLeadLimit(left)])]
                    .sort((a, b) => a - b)
                    .map((limit) => ({ value: String(limit), label: formatCount(limit, 'lead') }))}
                  {...form.register('leadLimit')}
                  value={String(leadLimit)}
                />
              </Field>
              <UsageNotice what="scrapedLeads" />
            </>
          )}
        </div>
      </div>
      {look.isPending ? (
        <LookSkeleton />
      ) : (
        look.data && (
          <LookPanel
            look={look.data}
            filter={{ ...values, keywords: withChip(values.keywords, keyword) }}
            onClose={look.reset}
            action={
              <Button
                ref={saveButton}
                variant="primary"
                size="lg"
                className="max-sm:w-full"
                icon={<Download />}
                loading={isRunning || form.formState.isSubmitting}
                disabled={busy === 'disconnected' || left === 0}
                aria-describedby={left === 0 ? usedUpId : undefined}
                onClick={() => look.data && start(form.getValues(), look.data.source)}
              >
                {`Save up to ${formatCount(leadLimit, 'lead')}`}
              </Button>
            }
          />
        )
      )}
    </Form>
  )
}

/** Fills in the handle from the URL, also when search changes the URL while this page is open. */
function useNamedHandle(form: UseFormReturn<Values>) {
  const [params] = useSearchParams()
  const { key } = useLocation()
  const handle = params.get('handle')
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same handle may be opened twice
  useEffect(() => {
    if (!handle) return
    if (FORM_FIELDS[form.getValues('type')] !== 'handle') form.setValue('type', 'followers')
    form.setValue('handle', handle)
  }, [handle, key])
}

function useCreateScrape(
  form: UseFormReturn<Values>,
  onAskCredentials: (ask: boolean) => void,
  onStarted: (scrape: Scrape) => void,
) {
  const queries = useQueryClient()
  return useMutation(
    api.scrapes.create.mutationOptions({
      onSuccess: (scrape) => {
        form.resetField('username')
        form.resetField('password')
        onAskCredentials(false)
        onStarted(scrape)
        void queries.invalidateQueries({ queryKey: api.xAccount.key() })
      },
      onError: (error) => {
        if (isSessionError({ ...failureOf(error), message: error.message })) onAskCredentials(true)
        showProblem(form, error)
      },
    }),
  )
}

/** Shows the server's message about the source at its field. */
function showProblem(form: UseFormReturn<Values>, error: unknown): void {
  const problem = sourceProblem(error)
  if (problem) form.setError(FORM_FIELDS[form.getValues('type')], { message: problem }, { shouldFocus: true })
}

/** Whether the error is shown neither at a field nor by asking for a connection. */
function isRejected(error: Error | null): boolean {
  if (!error || sourceProblem(error) || errorCode(error) === 'X_NOT_CONNECTED') return false
  return !isSessionError({ ...failureOf(error), message: error.message })
}

const isSameSource = (a: ScrapeSource | undefined, b: ScrapeSource) => JSON.stringify(a) === JSON.stringify(b)

type Connection = Awaited<ReturnType<typeof client.xAccount.status>>

/** Null if the account is connected, was never connected, or a user has disconnected it. */
const lostReasonOf = (connection: Connection) => (connection.connected ? null : connection.reason)

function NotConnected({ connection }: { connection: Connection }) {
  if (connection.connected) return null
  const lostReason = lostReasonOf(connection)
  return (
    <Callout
      tone={lostReason ? 'warn' : 'info'}
      title={lostReason && `The connection to @${connection.handle} was lost`}
    >
      {lostReason ?? NOT_CONNECTED}{' '}
      <Link to={paths.xAutomation} className="text-link">
        {lostReason ? 'Connect X again' : 'Connect X'}
      </Link>
    </Callout>
  )
}

interface CredentialsProps {
  form: UseFormReturn<Values>
  isNotConnected: boolean
  /** If false, X is connected on its authorization page, because there is no password login. */
  byPassword: boolean
}

/** Asks for X credentials, or offers to connect X, before a scrape that needs a connection. */
function Credentials({ form, isNotConnected, byPassword }: CredentialsProps) {
  if (!useIsOffered('admin')) return <RoleNotice needs="admin">{ADMINS_CONNECT}</RoleNotice>
  if (!byPassword)
    return (
      <Callout
        tone="warn"
        action={<ConnectWithX size="sm">{isNotConnected ? 'Continue on X' : 'Connect with X again'}</ConnectWithX>}
      >
        {isNotConnected ? NOT_CONNECTED : 'X has ended this connection. Connect again.'}
      </Callout>
    )
  return (
    <div className="grid gap-4">
      {isNotConnected ? (
        <Callout tone="warn" title={NOT_CONNECTED}>
          Please enter your X credentials, or{' '}
          <Link to={paths.xAutomation} className="text-link">
            connect X
          </Link>{' '}
          on its own tab.
        </Callout>
      ) : (
        <Callout tone="warn">{SESSION_EXPIRED}</Callout>
      )}
      <Field label="X Username" error={form.formState.errors.username?.message} required>
        <Input
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          {...form.register('username', {
            validate: (value) => (value.trim() === '' ? CREDENTIALS_REQUIRED : true),
          })}
        />
      </Field>
      <Field label="X Password" error={form.formState.errors.password?.message} required>
        <PasswordInput
          autoComplete="current-password"
          {...form.register('password', {
            validate: (value) => (value === '' ? CREDENTIALS_REQUIRED : true),
          })}
        />
      </Field>
    </div>
  )
}

function ScrapeFormSkeleton() {
  return (
    <div className="grid gap-5">
      {[1, 2, 3, 4].map((field) => (
        <SkeletonField key={field} />
      ))}
      <Skeleton className="h-20" />
      <SkeletonField />
      <Skeleton className="h-11" />
    </div>
  )
}

function failureOf(error: unknown): { status?: number; code: string | null } {
  const status = typeof error === 'object' && error !== null && 'status' in error ? error.status : undefined
  return { code: errorCode(error), ...(typeof status === 'number' ? { status } : {}) }
}
