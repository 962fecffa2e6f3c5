import { skipToken, useQuery } from '@tanstack/react-query'
import { formatDate } from '@x-automated/contract/format'
import { AlarmClock, CalendarDays, type LucideIcon, MessageSquareText, Sun, Sunrise } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { api } from '../../../api'
import { Button } from '../../../ui/button'
import { Switch } from '../../../ui/choice'
import { Input } from '../../../ui/input'
import { Kbd } from '../../../ui/kbd'
import { Popover } from '../../../ui/popover'
import { dayText, timeText } from './inbox-text'
import { morningOf, type SnoozeTime, snoozeTimes } from './snooze-times'

interface SnoozeMenuProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  /** The campaign has a re-engagement step, which can follow. */
  canReengage: boolean
  /** What they wrote last, which may name a day. */
  replyText: string | null
  onSnooze: (until: Date, reengage: boolean) => void
}

const ICONS: Record<SnoozeTime['name'], LucideIcon> = {
  'Later today': Sun,
  Tomorrow: Sunrise,
  'Next week': CalendarDays,
}

/** When a conversation comes back. */
export function SnoozeMenu({ open, onOpenChange, ...content }: SnoozeMenuProps) {
  return (
    <Popover
      label="Snooze"
      open={open}
      onOpenChange={onOpenChange}
      trigger={
        <Button size="sm" variant="ghost" icon={<AlarmClock />} title="Snooze (H)" aria-keyshortcuts="H">
          <span className="font-normal max-lg:sr-only">Snooze</span> <Kbd>H</Kbd>
        </Button>
      }
    >
      <Times {...content} />
    </Popover>
  )
}

const row =
  'flex min-h-8 w-full items-center gap-2.5 rounded-md px-2 text-start hover:bg-hover focus-visible:bg-hover -outline-offset-2 pointer-coarse:min-h-11 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-muted'

function Times({ canReengage, replyText, onSnooze }: Omit<SnoozeMenuProps, 'open' | 'onOpenChange'>) {
  const [now] = useState(() => new Date())
  const [reengage, setReengage] = useState(false)
  const [typed, setTyped] = useState('')
  const named = useNamedMorning(replyText, now)
  const typedAt = new Date(typed)
  const isFuture = typedAt > now
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move between the controls inside
    <div className="grid grid-cols-1 text-ui" onKeyDown={moveFocus}>
      <p className="px-2 pt-2 pb-1 text-2xs text-muted">Bring it back</p>
      {named && (
        <button type="button" data-stop className={`${row} py-1.5`} onClick={() => onSnooze(named, reengage)}>
          <MessageSquareText aria-hidden />
          <span className="grid">
            <span className="font-strong">{dayText(named.getTime(), now.getTime())}</span>
            <span className="text-xs text-muted">The day that they named</span>
          </span>
          <span className="ms-auto text-xs text-muted" data-numeric>
            {timeText(named.getTime())}
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
      <form
        className="flex gap-2 p-1 pt-2"
        onSubmit={(event) => {
          event.preventDefault()
          if (isFuture) onSnooze(typedAt, reengage)
        }}
      >
        <Input
          type="datetime-local"
          data-stop
          aria-label="Date and time"
          className="min-w-0 flex-1 [--control-height:--spacing(8)]"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <Button size="sm" type="submit" disabled={!isFuture}>
          Snooze
        </Button>
      </form>
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

/** The morning of the day that a reply names ('after the 15th'); null without one. */
function useNamedMorning(text: string | null, now: Date): Date | null {
  const read = useQuery(
    api.replies.classify.queryOptions({
      input: text ? { texts: [text] } : skipToken,
      staleTime: Number.POSITIVE_INFINITY,
    }),
  )
  const day = read.data?.results[0]?.date
  return day ? morningOf(day.slice(0, 10), now) : null
}

/** Moves the focus with the arrow keys, as in a menu. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  // In a date, arrows change the value.
  if (!by || (event.target instanceof HTMLInputElement && event.target.type !== 'checkbox')) return
  event.preventDefault()
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-stop]')]
  stops[(stops.indexOf(event.target as HTMLElement) + by + stops.length) % stops.length]?.focus()
}
