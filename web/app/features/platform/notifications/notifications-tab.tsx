import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { InputOf } from '@x-automated/contract/contract'
import type { NotificationKind, NotificationPreference } from '@x-automated/contract/platform/notifications'
import { LABEL_NAMES, RECOGNIZED_LABELS } from '@x-automated/contract/reply-labels'
import { api, errorText } from '../../../api'
import { QueryError } from '../../../query-error'
import { Card } from '../../../ui/card'
import { Checkbox, Switch } from '../../../ui/choice'
import { cn } from '../../../ui/cn'
import { Skeleton } from '../../../ui/skeleton'
import { toast } from '../../../ui/toast'

const KINDS: Record<NotificationKind, { label: string; hint: string }> = {
  x_disconnected: {
    label: 'X account disconnected',
    hint: 'Sending is paused until you reconnect.',
  },
  campaign_paused: { label: 'Campaign paused automatically', hint: 'Needs your attention.' },
  campaign_completed: { label: 'Campaign complete', hint: 'Every lead on its list was messaged or skipped.' },
  lead_replied: { label: 'Lead replied', hint: 'Names the person and the label. Not sent to viewers.' },
  test_decided: { label: 'A/B test decided', hint: 'A variant won, or there is no difference.' },
  detection_failing: {
    label: "Replies can't be read",
    hint: 'X has not let us read messages for a day, so follow-ups wait. Owners only.',
  },
  x_app_problem: {
    label: 'Own X app not accepted',
    hint: 'X no longer accepts its credentials or our webhook. Owners only.',
  },
  usage_high: {
    label: 'Plan limit nearly reached',
    hint: "At 80% of this month's DMs or scraped leads. Owners only.",
  },
  payment_failed: { label: 'Payment failed', hint: 'You keep your plan for another week. Owners only.' },
  trial_ending: { label: 'Trial ending soon', hint: 'We charge your card when it ends. Owners only.' },
  plan_ended: { label: 'Plan ended', hint: 'Queued messages are still sent. Owners only.' },
  funds: { label: 'X app without credits', hint: 'Sending and reading wait until you add credits. Owners only.' },
  spending: {
    label: 'X spending limit',
    hint: 'At 80% of the monthly limit, and when it is reached. Owners only.',
  },
  api_key_created: { label: 'API key created', hint: 'An admin created or adopted an API key. Owners only.' },
  api_key_suspended: {
    label: 'API key suspended',
    hint: 'Its creator is no longer an admin. Owners only.',
  },
}

const kinds = Object.entries(KINDS) as [NotificationKind, (typeof KINDS)[NotificationKind]][]

const COLUMNS = 'grid grid-cols-[minmax(0,1fr)_3.5rem_3.5rem] gap-x-3'

/** Which notifications the user gets, in the app and by email. */
export function NotificationsTab() {
  const queries = useQueryClient()
  const key = api.notifications.listPreferences.queryKey()
  const query = useQuery(api.notifications.listPreferences.queryOptions())
  const save = useMutation(
    api.notifications.setPreference.mutationOptions({
      // Optimistic, reverted on error.
      onMutate(change) {
        const before = queries.getQueryData(key)
        queries.setQueryData(
          key,
          (old) =>
            old && {
              preferences: old.preferences.map((preference) =>
                preference.kind === change.kind ? { ...preference, ...change } : preference,
              ),
            },
        )
        return { before }
      },
      onSuccess: (saved) => queries.setQueryData(key, saved),
      onError(error, _, context) {
        if (context?.before) queries.setQueryData(key, context.before)
        toast.error(errorText(error, 'Failed to save. Please try again.'))
      },
    }),
  )
  if (query.isError && !query.data) {
    return <QueryError query={query} fallback="Failed to load your notifications. Please try again." />
  }
  return (
    <Card title="Notifications" description="These apply to you in every workspace and save automatically.">
      <div className="grid max-w-2xl divide-y divide-hair">
        <div aria-hidden className={cn(COLUMNS, 'pb-2 text-xs text-muted')}>
          <span />
          <span className="text-center">In-app</span>
          <span className="text-center">Email</span>
        </div>
        {kinds.map(([kind, { label, hint }]) => {
          const preference = query.data?.preferences.find((entry) => entry.kind === kind)
          return (
            <fieldset key={kind} className={cn(COLUMNS, 'gap-y-3 py-3 last:pb-0')}>
              <legend className="sr-only">{label}</legend>
              <div className="grid gap-0.5">
                <p className="font-strong">{label}</p>
                <p className="text-muted">{hint}</p>
              </div>
              {preference ? (
                <>
                  <Switch
                    label={<span className="sr-only">In-app</span>}
                    className="justify-self-center gap-0!"
                    checked={preference.inApp}
                    onChange={(event) => save.mutate({ kind, inApp: event.currentTarget.checked })}
                  />
                  <Switch
                    label={<span className="sr-only">Email</span>}
                    className="justify-self-center gap-0!"
                    checked={preference.email}
                    onChange={(event) => save.mutate({ kind, email: event.currentTarget.checked })}
                  />
                </>
              ) : (
                <>
                  <Skeleton className="h-5 w-9 justify-self-center rounded-full!" />
                  <Skeleton className="h-5 w-9 justify-self-center rounded-full!" />
                </>
              )}
              {kind === 'lead_replied' && preference && <ReplyOptions preference={preference} onChange={save.mutate} />}
            </fieldset>
          )
        })}
      </div>
    </Card>
  )
}

/** How replies are emailed, whether the browser shows them, and for which labels. */
function ReplyOptions({
  preference: { email, browser = false, frequency = 'immediate', labels = [] },
  onChange,
}: {
  preference: NotificationPreference
  onChange: (change: InputOf<'notifications', 'setPreference'>) => void
}) {
  const kind = 'lead_replied'
  const setBrowser = async (isOn: boolean) => {
    if (isOn && (await window.Notification?.requestPermission()) !== 'granted')
      return void toast.error('Your browser blocks notifications. Allow them for this site, then try again.')
    onChange({ kind, browser: isOn })
  }
  return (
    <div className="col-span-full grid gap-3">
      <Switch
        label="In the browser, while a tab is open"
        checked={browser}
        onChange={(event) => void setBrowser(event.currentTarget.checked)}
      />
      <Switch
        label="One email a day instead of one per reply"
        checked={frequency === 'daily'}
        disabled={!email}
        onChange={(event) => onChange({ kind, frequency: event.currentTarget.checked ? 'daily' : 'immediate' })}
      />
      <fieldset className="flex flex-wrap gap-x-5 gap-y-2">
        <legend className="sr-only">Labels</legend>
        {RECOGNIZED_LABELS.map((label) => (
          <Checkbox
            key={label}
            label={LABEL_NAMES[label]}
            checked={labels.includes(label)}
            onChange={(event) => {
              const isOn = event.currentTarget.checked
              onChange({
                kind,
                labels: RECOGNIZED_LABELS.filter((option) => (option === label ? isOn : labels.includes(option))),
              })
            }}
          />
        ))}
      </fieldset>
    </div>
  )
}
