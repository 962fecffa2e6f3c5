import { formatDate, formatNumber } from '@x-automated/contract/format'
import type { FlightDot } from '@x-automated/contract/outreach/sequences'
import { Avatar } from '../../../ui/avatar'
import { cn } from '../../../ui/cn'
import { personName } from './enrollment-text'

const looks: Record<FlightDot['state'], { label: string; className: string }> = {
  planned: { label: 'planned', className: 'border border-line-strong border-dashed bg-surface' },
  queued: { label: 'queued', className: 'border-[1.5px] border-line-strong bg-surface' },
  held: { label: 'on hold', className: 'border-[1.5px] border-warn bg-surface' },
  sent: { label: 'sent', className: 'bg-line-strong' },
  read: { label: 'read', className: 'bg-ink' },
  replied: { label: 'replied', className: 'bg-accent-line' },
  failed: { label: 'failed', className: 'bg-bad rounded-none! rotate-45' },
  skipped: { label: 'skipped', className: 'border border-line-strong bg-transparent rounded-none!' },
}

/** The meaning of each kind of dot. */
export function Legend() {
  return (
    <ul className="me-auto flex flex-wrap gap-x-3 gap-y-1 text-xs text-muted">
      {Object.entries(looks).map(([state, { label, className }]) => (
        <li key={state} className="flex items-center gap-1.5">
          <span aria-hidden className={cn('size-2 rounded-full', className)} />
          {label.charAt(0).toUpperCase() + label.slice(1)}
        </li>
      ))}
    </ul>
  )
}

interface DotProps {
  dot: FlightDot
  isChosen: boolean
  /** How far above the dot the face of a person who replied is. */
  stalk: number
}

/** A message on the flight board. */
export function Dot({ dot, isChosen, stalk }: DotProps) {
  return (
    <>
      {dot.state === 'replied' && (
        <span className="absolute bottom-1/2 flex flex-col items-center" style={{ height: stalk }}>
          <Avatar name={personName(dot.lead)} src={dot.lead?.pictureUrl} size="xs" />
          <span className="w-px flex-1 bg-accent-line" />
        </span>
      )}
      <span
        className={cn(
          'relative size-2 rounded-full',
          looks[dot.state].className,
          isChosen && 'outline-2 outline-offset-2 outline-ink',
        )}
      />
    </>
  )
}

/** 'step 2 A, sent Mon 2:05 PM'. */
export function detailText({ stepNumber, variant, state, at }: FlightDot): string {
  const step = `step ${formatNumber(stepNumber)}${variant ? ` ${variant.name}` : ''}`
  return `${step}, ${looks[state].label} ${formatDate(at, { weekday: 'short', hour: 'numeric', minute: '2-digit' })}`
}

/** 'Ada, step 2 A, sent Mon 2:05 PM'. */
export function dotText(dot: FlightDot): string {
  return `${personName(dot.lead)}, ${detailText(dot)}`
}
