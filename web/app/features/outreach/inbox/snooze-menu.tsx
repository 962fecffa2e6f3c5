import { skipToken, useQuery } from '@tanstack/react-query'
import { formatDate } from '@x-automated/contract/format'
import { AlarmClock, CalendarCheck, CalendarDays, type LucideIcon, MessageSquareText, Sun, Sunrise } from 'lucide-react'
import { type KeyboardEvent, type ReactElement, useState } from 'react'
import { api, refusalText } from '../../../api'
import { Button } from '../../../ui/button'
import { Switch } from '../../../ui/choice'
import { Form } from '../../../ui/form'
import { Input } from '../../../ui/input'
import { Kbd } from '../../../ui/kbd'
import { Popover } from '../../../ui/popover'
import { useDebouncedValue } from '../../../ui/use-debounced-value'
import { dayText, timeText } from './inbox-text'
import { dayOf, morningOf, type SnoozeTime, snoozeTimes, typedTime } from './snooze-times'

interface SnoozeMenuProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  /** The button that opens the menu. Defaults to the button of an open conversation. */
  trigger?: ReactElement
  /** The campaign has a re-engagement step that can be sent when the snooze ends. */
  canReengage?: boolean
  /** The lead's latest message, which may mention a day. */
  reply?: { text: string | null; at: string } | undefined
  onSnooze: (until: Date, reengage: boolean) => void
}

const ICONS: Record<SnoozeTime['name'], LucideIcon> = {
  'Later today': Sun,
  Tomorrow: Sunrise,
  'Next week': CalendarDays,
}

/** A menu of times when a conversation can reopen. */
export function SnoozeMenu({ open, onOpenChange, trigger = SNOOZE_BUTTON, ...content }: SnoozeMenuProps) {
  return (
    <Popover label="Snooze" open={open} onOpenChange={onOpenChange} trigger={trigger}>
      <Times {...content} />
    </Popover>
  )
}

const SNOOZE_BUTTON = (
  <Button size="sm" variant="ghost" icon={<AlarmClock />} title="Snooze (H)" aria-keyshortcuts="H">
    <span className="font-normal max-lg:sr-only">Snooze</span>{' '}
    <span className="max-lg:hidden">
      <Kbd>H</Kbd>
    </span>
  </Button>
)

const row =
  'flex min-h-8 w-full items-center gap-2.5 rounded-md px-2 text-start hover:bg-hover focus-visible:bg-hover -outline-offset-2 pointer-coarse:min-h-11 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-muted'

type TimesProps = Omit<SnoozeMenuProps, 'open' | 'onOpenChange' | 'trigger'>

function Times({ canReengage = false, reply, onSnooze }: TimesProps) {
  const [now] = useState(() => new Date())
  const [reengage, setReengage] = useState(false)
  const named = useNamedDay(reply?.text ?? '', reply ? new Date(reply.at) : now).day
  const morning = named && morningOf(named, now)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move between the controls inside
    <div className="grid grid-cols-1 text-ui" onKeyDown={moveFocus}>
      <p className="px-2 pt-2 pb-1 text-2xs text-muted">Bring it back</p>
      {morning && (
        <button type="button" data-stop className={`${row} py-1.5`} onClick={() => onSnooze(morning, reengage)}>
          <MessageSquareText aria-hidden />
          <span className="grid">
            <span className="font-strong">{dayText(morning.getTime(), now.getTime())}</span>
            <span className="text-xs text-muted">The day they mentioned</span>
          </span>
          <span className="ms-auto text-xs text-muted" data-numeric>
            {timeText(morning.getTime())}
          </span>
        </button>
      )}
      {snoozeTimes(now).map(({ name, at }) => {
        const Icon = ICONS[name]
        return (
          <button key={name} type="button" data-stop className={row} onClick={() => onSnooze(at, reengage)}>
            <Icon aria-hidden />
            {name}
            <span className="ms-auto text-xs text-muted" data-numeric>
              {name !== 'Later today' && `${formatDate(at, { weekday: 'short' })} `}
              {timeText(at.getTime())}
            </span>
          </button>
        )
      })}
      <TypedTime now={now} onSnooze={(at) => onSnooze(at, reengage)} />
      {canReengage && (
        <div className="mt-1 border-t border-line px-2 pt-2.5 pb-2">
          <Switch
            data-stop
            label="Send the re-engagement step then"
            checked={reengage}
            onChange={(event) => setReengage(event.currentTarget.checked)}
          />
        </div>
      )}
    </div>
  )
}

const TYPING_MS = 250

/** A field for typing a time. Shows how it is understood. */
function TypedTime({ now, onSnooze }: { now: Date; onSnooze: (at: Date) => void }) {
  const [typed, setTyped] = useState('')
  const text = useDebouncedValue(typed.trim(), TYPING_MS)
  const { day, isReading, error } = useNamedDay(text, now)
  const isCurrent = text === typed.trim() && !isReading
  const at = isCurrent ? typedTime(text, day, now) : null
  return (
    <Form
      name={null}
      className="gap-1 pt-1"
      onSubmit={() => {
        if (at) onSnooze(at)
      }}
    >
      <div className="px-1">
        <Input
          data-stop
          aria-label="When, in words"
          placeholder="“in 3 weeks”, “Dec 2 14:00”"
          autoComplete="off"
          maxLength={100}
          leading={<CalendarDays />}
          className="[--control-height:--spacing(8)]"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      </div>
      {at ? (
        <button type="submit" data-stop className={row}>
          <CalendarCheck aria-hidden />
          <span role="status" className="font-strong">
            {dayText(at.getTime(), now.getTime())}
          </span>
          <span className="ms-auto text-xs text-muted" data-numeric>
            {timeText(at.getTime())}
          </span>
        </button>
      ) : (
        isCurrent &&
        text && (
          <p role="status" className="px-2 pb-1 text-xs text-muted">
            {error
              ? refusalText(error, "We couldn't read this date. Try “in 2 hours”.")
              : 'No date in the future. Try “next Tuesday” or “Dec 2 14:00”.'}
          </p>
        )
      )}
    </Form>
  )
}

/** The day that a text mentions ('after the 15th'), as of the time of writing; null if none. */
function useNamedDay(text: string, writtenAt: Date) {
  const read = useQuery(
    api.replies.classify.queryOptions({
      input: text ? { texts: [text], writtenOn: dayOf(writtenAt) } : skipToken,
      staleTime: Number.POSITIVE_INFINITY,
    }),
  )
  return {
    day: read.data?.results[0]?.date?.slice(0, 10) ?? null,
    isReading: read.isFetching && !read.isError,
    error: read.error,
  }
}

/** Moves the focus with the arrow keys, like a menu. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (!by) return
  event.preventDefault()
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-stop]')]
  stops[(stops.indexOf(event.target as HTMLElement) + by + stops.length) % stops.length]?.focus()
}
