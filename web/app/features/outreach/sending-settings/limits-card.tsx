import { formatNumber } from '@x-automated/contract/format'
import { DEFAULT_HOURS } from '@x-automated/contract/outreach/sending-limits'
import type { SendingLimits, SendingSettings } from '@x-automated/contract/outreach/sending-settings'
import { useState } from 'react'
import { api, client } from '../../../api'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Card } from '../../../ui/card'
import { Checkbox, Switch } from '../../../ui/choice'
import { Combobox } from '../../../ui/combobox'
import { Field, FieldError } from '../../../ui/field'
import { Form } from '../../../ui/form'
import { Input } from '../../../ui/input'
import { NumberInput } from '../../../ui/number-input'
import { Progress } from '../../../ui/progress'
import { useFormDraft } from '../../../use-form-draft'
import {
  capUsageText,
  DAYS,
  draftOf,
  hoursOn,
  isNotable,
  type LimitsDraft,
  type LimitsProblems,
  limitsInput,
  problemsOf,
  SAFE_LIMITS,
  waitText,
  warmUpText,
} from './limits-text'
import { useSaveSettings } from './use-save-settings'

interface LimitsCardProps {
  account: SendingLimits
  limits: SendingSettings['limits']
  disabled: boolean
}

const zones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')].map((zone) => ({
  value: zone,
  label: zone.replaceAll('_', ' '),
}))

/** The sending limits of one X account, and how much of them is used. */
export function LimitsCard({ account, limits, disabled }: LimitsCardProps) {
  const { draft, isChanged, set, settle, discard } = useFormDraft(draftOf(account, DEFAULT_HOURS))
  const [showsProblems, setShowsProblems] = useState(false)
  const problems = problemsOf(draft, limits)
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  const save = useSaveSettings(
    (sent: LimitsDraft) => client.sendingSettings.saveLimits(limitsInput(account.xAccountId, sent)),
    {
      done: 'Saved. Applies from the next message.',
      onSuccess: (_, sent) => settle(sent),
      refetches: [api.campaigns],
    },
  )
  const submit = () => {
    setShowsProblems(true)
    if (Object.keys(problems).length === 0) void save.run(draft)
  }
  const problem = (name: keyof typeof problems) => (showsProblems ? problems[name] : undefined)
  const now = new Date()
  return (
    <Card
      title={account.handle ? `Sending limits for @${account.handle}` : 'Sending limits for the extension'}
      description={
        account.handle
          ? 'Applies to campaigns, quick DMs and the extension.'
          : 'No X account is connected, so these limits apply to the extension.'
      }
    >
      <div className="grid gap-6">
        <div className="grid max-w-xl gap-3">
          <Progress
            label="Used of the daily cap in 24 hours"
            value={account.countedInDay}
            max={Math.max(1, account.capNow)}
            detail={capUsageText(account)}
          />
          {account.warmUpNow && <p className="text-muted">{warmUpText(account.warmUpNow)}.</p>}
          {isNotable(account.waitingFor, now.getTime()) && <Callout>{waitText(account.waitingFor, now)}</Callout>}
        </div>
        <Form
          name="sending-limits"
          record={account.xAccountId ?? undefined}
          className="max-w-xl gap-5"
          onSubmit={submit}
        >
          <Field
            label="Time zone"
            error={problem('timeZone')}
            hint={own !== draft.timeZone && !disabled ? `Your browser uses ${own.replaceAll('_', ' ')}.` : undefined}
          >
            <Combobox
              options={
                zones.some(({ value }) => value === draft.timeZone)
                  ? zones
                  : [...zones, { value: draft.timeZone, label: draft.timeZone }]
              }
              value={draft.timeZone || null}
              onChange={(timeZone) => set({ timeZone: timeZone ?? '' })}
              disabled={disabled}
              empty="No matching time zone."
            />
          </Field>
          <SendingWindow draft={draft} onChange={set} problems={showsProblems ? problems : {}} disabled={disabled} />
          <div className="grid gap-4 sm:grid-cols-2">
            <Field
              label="Daily cap"
              error={problem('dailyCap')}
              hint={`Per rolling 24 hours. Maximum ${formatNumber(limits.dailyCap)}.`}
            >
              <NumberInput
                value={draft.dailyCap}
                placeholder={String(limits.dailyCap)}
                disabled={disabled}
                onChange={(dailyCap) => set({ dailyCap })}
              />
            </Field>
            <Field
              label="Interval between messages (seconds)"
              error={problem('pauseSeconds')}
              hint="We add a random delay so it looks natural."
            >
              <NumberInput
                value={draft.pauseSeconds}
                placeholder={String(limits.pauseSeconds)}
                disabled={disabled}
                onChange={(pauseSeconds) => set({ pauseSeconds })}
              />
            </Field>
          </div>
          <Switch
            label="Warm up"
            hint="Starts at 20 messages a day and increases 10% daily."
            checked={draft.warmUp}
            disabled={disabled}
            onChange={(event) => set({ warmUp: event.currentTarget.checked })}
          />
          {!disabled && (
            <div className="flex flex-wrap gap-2">
              <Button type="submit" variant="primary" loading={save.isPending} disabled={!isChanged}>
                Save limits
              </Button>
              <Button
                title="Monday to Friday, 9 to 18, with warm-up"
                onClick={() => set({ ...SAFE_LIMITS, workDays: [...SAFE_LIMITS.workDays] })}
              >
                Use safe defaults
              </Button>
              {isChanged && <Button onClick={discard}>Discard changes</Button>}
            </div>
          )}
        </Form>
      </div>
    </Card>
  )
}

interface SendingWindowProps {
  draft: LimitsDraft
  onChange: (change: Partial<LimitsDraft>) => void
  problems: LimitsProblems
  disabled: boolean
}

/** The days and hours in which messages are sent. */
function SendingWindow({ draft, onChange, problems, disabled }: SendingWindowProps) {
  return (
    <fieldset className="grid gap-3" disabled={disabled}>
      <legend className="mb-2 font-strong">Sending window</legend>
      <div className="grid gap-1">
        {DAYS.map((label, i) => (
          <div key={label} className="grid grid-cols-[4.5rem_minmax(0,1fr)] items-center">
            <Checkbox
              label={label}
              checked={draft.workDays.includes(i + 1)}
              onChange={(event) =>
                onChange({
                  workDays: event.currentTarget.checked
                    ? [...draft.workDays, i + 1].sort()
                    : draft.workDays.filter((day) => day !== i + 1),
                })
              }
            />
            <span aria-hidden className="relative h-5 overflow-hidden rounded-sm bg-sunken">
              {[6, 12, 18].map((hour) => (
                <i
                  key={hour}
                  className="absolute inset-y-0 w-px bg-line"
                  style={{ insetInlineStart: `${(hour / 24) * 100}%` }}
                />
              ))}
              {hoursOn(draft, i + 1).map(([from, to]) => (
                <i
                  key={from}
                  className="absolute inset-y-1 rounded-sm bg-line-strong"
                  style={{ insetInlineStart: `${(from / 24) * 100}%`, width: `${((to - from) / 24) * 100}%` }}
                />
              ))}
            </span>
          </div>
        ))}
        <span aria-hidden className="ms-18 flex justify-between text-2xs text-muted" data-numeric>
          {[0, 6, 12, 18, 24].map((hour) => (
            <span key={hour}>{hour}</span>
          ))}
        </span>
      </div>
      {problems.workDays && <FieldError id="work-days-error">{problems.workDays}</FieldError>}
      <Switch
        label="All day"
        checked={draft.allDay}
        onChange={(event) => onChange({ allDay: event.currentTarget.checked })}
      />
      {!draft.allDay && (
        <div className="grid grid-cols-2 gap-4">
          <Field label="From">
            <Input
              type="time"
              value={draft.start}
              onChange={(event) => onChange({ start: event.currentTarget.value })}
            />
          </Field>
          <Field label="To" error={problems.end} hint={draft.end < draft.start ? 'Ends the next day.' : undefined}>
            <Input type="time" value={draft.end} onChange={(event) => onChange({ end: event.currentTarget.value })} />
          </Field>
        </div>
      )}
    </fieldset>
  )
}
