import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { formatCount } from '@x-automated/contract/format'
import { FOLLOWER_SLIDERS, KEYWORD_LENGTH_MAX, KEYWORDS_MAX } from '@x-automated/contract/leads/scrape-limits'
import type { Scrape } from '@x-automated/contract/leads/scrapes'
import { handleIn } from '@x-automated/contract/x-handle'
import { AtSign, Search } from 'lucide-react'
import { Controller, type UseFormReturn, useForm } from 'react-hook-form'
import { Link } from 'react-router'
import { api, type client, errorCode, errorText, fieldProblems } from '../../../api'
import { isInitialLoading } from '../../../initial-loading'
import { paths } from '../../../paths'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Card } from '../../../ui/card'
import { ChipsInput, withChip } from '../../../ui/chips-input'
import { Field } from '../../../ui/field'
import { Input, PasswordInput } from '../../../ui/input'
import { Select } from '../../../ui/select'
import { Skeleton, SkeletonField } from '../../../ui/skeleton'
import { Slider } from '../../../ui/slider'
import { useDebouncedValue } from '../../../ui/use-debounced-value'
import { ADMINS_CONNECT, RoleNotice } from '../../identity/people/role-notice'
import { useIsOffered } from '../../identity/people/use-role'
import { SeePlans, UsageNotice } from '../../platform/billing/usage-notice'
import { ConnectWithX } from '../../platform/x-account/connect-with-x'
import { useCostConfirmation } from './cost-confirmation'
import { withMax, withMin } from './follower-bounds'
import { ScrapeEstimate } from './scrape-estimate'
import { CREDENTIALS_REQUIRED, handleProblem, isSessionError, LEAD_LIMITS, SESSION_EXPIRED } from './scrape-text'

const NOT_CONNECTED = 'No X account is connected.'

interface Values {
  handle: string
  type: Scrape['type']
  minFollowers: number
  maxFollowers: number
  keywords: string[]
  leadLimit: string
  /** Typed but not added yet. */
  keyword: string
  username: string
  password: string
}

interface ScrapeFormProps {
  /**
   * A scrape is in progress: running, or waiting for an X account to be connected next to this
   * form.
   */
  busy: false | 'running' | 'disconnected'
  /** X requires a new login. */
  askCredentials: boolean
  onAskCredentials: (ask: boolean) => void
  onStarted: (scrape: Scrape) => void
}

/** Starts a scrape. */
export function ScrapeForm({ busy, askCredentials, onAskCredentials, onStarted }: ScrapeFormProps) {
  const mayConnect = useIsOffered('admin')
  const connection = useQuery(api.xAccount.status.queryOptions())
  const form = useForm<Values>({
    defaultValues: {
      handle: '',
      type: 'followers',
      minFollowers: FOLLOWER_SLIDERS.min.default,
      maxFollowers: FOLLOWER_SLIDERS.max.default,
      keywords: [],
      leadLimit: String(LEAD_LIMITS[0]),
      keyword: '',
      username: '',
      password: '',
    },
  })
  const { errors } = form.formState
  const create = useCreateScrape(form, onAskCredentials, onStarted)
  const confirmStart = useCostConfirmation()
  const isRunning = create.isPending || busy === 'running'
  const isNotConnected = connection.data?.connected === false && lostReasonOf(connection.data) === null
  const byPassword = connection.data?.methods.includes('password') ?? true
  const isRejected =
    create.isError &&
    !fieldProblems(create.error).twitterHandle &&
    !isSessionError({ ...failureOf(create.error), message: create.error.message })

  const [keyword, handle, type] = form.watch(['keyword', 'handle', 'type'])
  const debouncedHandle = useDebouncedValue(handle)

  const submit = form.handleSubmit(
    async ({ handle, type, minFollowers, maxFollowers, keywords, keyword, leadLimit, ...credentials }) => {
      // Includes a keyword that was typed but not added.
      const allKeywords = withChip(keywords, keyword)
      form.setValue('keywords', allKeywords)
      form.setValue('keyword', '')
      const twitterHandle = handleIn(handle)
      if (connection.data?.connected && !(await confirmStart({ twitterHandle, type }, debouncedHandle))) return
      create.mutate({
        twitterHandle,
        type,
        minFollowers,
        maxFollowers,
        keywords: allKeywords,
        maxResults: Number(leadLimit),
        ...(askCredentials && byPassword && mayConnect
          ? { credentials: { username: credentials.username.trim().replace(/^@/, ''), password: credentials.password } }
          : {}),
      })
    },
  )

  return (
    <Card
      title="Find leads"
      description="Collects an account's followers (or the people it follows) who match your filters."
    >
      {isInitialLoading(connection) ? (
        <ScrapeFormSkeleton />
      ) : (
        <form method="post" noValidate className="grid grid-cols-1 gap-5" onSubmit={submit}>
          {connection.data && !askCredentials && busy !== 'disconnected' && (
            <NotConnected connection={connection.data} />
          )}
          <Field label="X Handle to Scrape" error={errors.handle?.message} required>
            <Input
              leading={<AtSign />}
              placeholder="handle"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              maxLength={200}
              {...form.register('handle', {
                validate: (typed) => handleProblem(typed) ?? true,
                onBlur: ({ target }) => form.setValue('handle', handleIn(target.value)),
              })}
            />
          </Field>
          <Field label="Scrape Type">
            <Select
              options={[
                { value: 'followers', label: 'Followers' },
                { value: 'following', label: 'Following' },
              ]}
              {...form.register('type')}
            />
          </Field>
          <FollowerRange form={form} />
          <Field label="Bio keyword filter" aside={<span className="text-xs">Match any</span>}>
            <Controller
              control={form.control}
              name="keywords"
              render={({ field }) => (
                <ChipsInput
                  values={field.value}
                  onChange={field.onChange}
                  typed={keyword}
                  onType={(typed) => form.setValue('keyword', typed)}
                  noun="keyword"
                  most={KEYWORDS_MAX}
                  maxLength={KEYWORD_LENGTH_MAX}
                  placeholder="Add a keyword"
                  empty="No keywords added. Will match all profiles."
                />
              )}
            />
          </Field>
          <Field label="Lead limit" hint="Stops when this many leads are found.">
            <Select
              options={[...LEAD_LIMITS]
                .sort((a, b) => a - b)
                .map((limit) => ({ value: String(limit), label: formatCount(limit, 'lead') }))}
              {...form.register('leadLimit')}
            />
          </Field>
          <UsageNotice what="scrapedLeads" />
          <ScrapeEstimate
            typed={debouncedHandle}
            type={type}
            enabled={connection.data?.connected === true && !isRunning}
          />
          {askCredentials && <Credentials form={form} isNotConnected={isNotConnected} byPassword={byPassword} />}
          {isRejected && (
            <Callout tone="bad" action={errorCode(create.error) === 'PLAN_LIMIT' && <SeePlans />}>
              {errorText(create.error, 'Failed to scrape X followers')}
            </Callout>
          )}
          <Button
            type="submit"
            variant="primary"
            size="lg"
            wide
            icon={<Search />}
            loading={isRunning || form.formState.isSubmitting}
            disabled={busy === 'disconnected'}
          >
            {isRunning ? 'Scraping...' : 'Start Scraping'}
          </Button>
        </form>
      )}
    </Card>
  )
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
        const problem = fieldProblems(error).twitterHandle
        if (problem) form.setError('handle', { message: problem }, { shouldFocus: true })
      },
    }),
  )
}

type Connection = Awaited<ReturnType<typeof client.xAccount.status>>

/** Null if the account was never connected, or was disconnected by someone. */
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

const sliders = [
  { name: 'minFollowers', label: 'Min followers', range: FOLLOWER_SLIDERS.min, move: withMin },
  { name: 'maxFollowers', label: 'Max followers', range: FOLLOWER_SLIDERS.max, move: withMax },
] as const

/** The follower range: moving one bound past the other moves both. */
function FollowerRange({ form }: { form: UseFormReturn<Values> }) {
  return sliders.map(({ name, label, range: { from, to, step }, move }) => (
    <Slider
      key={name}
      label={label}
      value={form.watch(name)}
      onChange={(value) => {
        const { minFollowers, maxFollowers } = move(form.getValues(), value)
        form.setValue('minFollowers', minFollowers)
        form.setValue('maxFollowers', maxFollowers)
      }}
      min={from}
      max={to}
      step={step}
    />
  ))
}

interface CredentialsProps {
  form: UseFormReturn<Values>
  isNotConnected: boolean
  /** Without password login, X is connected on the Connect X tab. */
  byPassword: boolean
}

/** Connects X again before the scrape starts. */
function Credentials({ form, isNotConnected, byPassword }: CredentialsProps) {
  if (!useIsOffered('admin')) return <RoleNotice needs="admin">{ADMINS_CONNECT}</RoleNotice>
  if (!byPassword)
    return (
      <Callout
        tone="warn"
        action={<ConnectWithX size="sm">{isNotConnected ? 'Connect with X' : 'Connect with X again'}</ConnectWithX>}
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
          maxLength={50}
          {...form.register('username', {
            validate: (value) => (value.trim() === '' ? CREDENTIALS_REQUIRED : true),
          })}
        />
      </Field>
      <Field label="X Password" error={form.formState.errors.password?.message} required>
        <PasswordInput
          autoComplete="current-password"
          maxLength={500}
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
