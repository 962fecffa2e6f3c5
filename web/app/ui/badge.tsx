import { CAMPAIGN_STATUS_TEXTS } from '@x-automated/contract/outreach/campaign-text'
import { LoaderCircle } from 'lucide-react'
import type { ReactNode } from 'react'
import { cn } from './cn'

export type Tone = 'neutral' | 'accent' | 'info' | 'good' | 'warn' | 'bad'

/** Neutral and accent badges are boxes. The others show a state with a dot or an icon, and a word. */
const boxes = { neutral: 'border-line bg-sunken text-muted', accent: 'border-accent-edge bg-accent text-accent-ink' }
const words = { info: 'text-info', good: 'text-good', warn: 'text-warn', bad: 'text-bad' }

const boxShape = 'h-6 gap-1.5 rounded-md border px-2 text-xs font-strong'
const wordShape = 'gap-1.75 text-ui'

/** A short label: '12 leads found', 'Save 50%', 'Connected'. */
export function Badge({ tone = 'neutral', icon, children }: { tone?: Tone; icon?: ReactNode; children: ReactNode }) {
  const isBox = tone === 'neutral' || tone === 'accent'
  return (
    <span
      className={cn(
        'inline-flex w-fit items-center whitespace-nowrap [&_svg]:size-3.5 [&_svg]:shrink-0',
        isBox ? [boxShape, boxes[tone]] : [wordShape, words[tone]],
      )}
    >
      {icon ?? (!isBox && <span aria-hidden className="size-1.75 shrink-0 rounded-full bg-current" />)}
      {children}
    </span>
  )
}

/** Label and color of every status. */
export const statusLooks = {
  // messages
  queued: { label: 'Queued', className: 'text-status-queued' },
  sending: { label: 'Sending', className: 'text-status-sending' },
  sent: { label: 'Sent', className: 'text-status-sent' },
  delivered: { label: 'Delivered', className: 'text-status-delivered' },
  replied: { label: 'Replied', className: 'text-status-replied' },
  failed: { label: 'Failed', className: 'text-status-failed' },
  /** The message failed before it was tried, for a reason that concerns the recipient. */
  skipped: { label: 'Skipped', className: 'text-status-archived' },
  // leads
  not_sent: { label: 'Not sent', className: 'text-muted' },
  contacted: { label: 'Sent', className: 'text-status-sent' },
  failed_contact: { label: 'Failed', className: 'text-status-failed' },
  suppressed: { label: 'Suppressed', className: 'text-status-failed' },
  // campaigns and scrapes
  draft: { label: CAMPAIGN_STATUS_TEXTS.draft, className: 'text-status-draft' },
  active: { label: CAMPAIGN_STATUS_TEXTS.active, className: 'text-status-active' },
  running: { label: 'Running', className: 'text-status-sending' },
  waiting: { label: 'Waiting', className: 'text-status-queued' },
  paused: { label: CAMPAIGN_STATUS_TEXTS.paused, className: 'text-status-paused' },
  completed: { label: CAMPAIGN_STATUS_TEXTS.completed, className: 'text-status-completed' },
  canceled: { label: 'Canceled', className: 'text-status-archived' },
  archived: { label: CAMPAIGN_STATUS_TEXTS.archived, className: 'text-status-archived' },
} as const satisfies Record<string, { label: string; className: string }>

type Status = keyof typeof statusLooks

/** Statuses of what has not started yet. Their dot is hollow. */
const AHEAD: ReadonlySet<string> = new Set<Status>(['queued', 'not_sent', 'draft', 'waiting'])
const BUSY: ReadonlySet<string> = new Set<Status>(['sending', 'running'])

/** A status as a dot and a word. Unknown statuses are displayed as they are. `children` replaces the label. */
export function StatusBadge({ status, children }: { status: Status | (string & {}); children?: ReactNode }) {
  const look = Object.hasOwn(statusLooks, status) ? statusLooks[status as Status] : null
  if (!look) return <Badge>{children ?? status}</Badge>
  return (
    <span
      data-status={status}
      className={cn(
        'inline-flex w-fit items-center gap-1.75 text-ui whitespace-nowrap [&_svg]:animate-spin',
        look.className,
      )}
    >
      {BUSY.has(status) ? <LoaderCircle aria-hidden className="size-3.5 shrink-0" /> : <Dot of={status} />}
      {children ?? look.label}
    </span>
  )
}

/** A status for dense tables, where the word is less prominent. */
export function StatusDot({ status }: { status: Status }) {
  const { label, className } = statusLooks[status]
  return (
    <span data-status={status} className="inline-flex items-center gap-2 whitespace-nowrap">
      <Dot of={status} className={className} />
      {label}
    </span>
  )
}

function Dot({ of: status, className }: { of: string; className?: string }) {
  return (
    <span
      aria-hidden
      className={cn(
        'size-1.75 shrink-0 rounded-full border-[1.5px] border-current',
        className,
        !AHEAD.has(status) && 'bg-current',
      )}
    />
  )
}
