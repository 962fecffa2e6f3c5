import { CAMPAIGN_STATUS_TEXTS } from '@x-automated/contract/outreach/campaign-text'
import {
  Archive,
  Ban,
  Check,
  CheckCheck,
  CircleAlert,
  CircleCheck,
  Clock,
  LoaderCircle,
  type LucideIcon,
  Pause,
  Pencil,
  Play,
  Reply,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { cn } from './cn'

export type Tone = 'neutral' | 'accent' | 'info' | 'good' | 'warn' | 'bad'

const colored = 'border-current/25 bg-current/8'

const tones: Record<Tone, string> = {
  neutral: 'border-line bg-sunken text-muted',
  accent: 'border-accent-edge bg-accent text-accent-ink',
  info: `${colored} text-info`,
  good: `${colored} text-good`,
  warn: `${colored} text-warn`,
  bad: `${colored} text-bad`,
}

const shape =
  'inline-flex h-6 w-fit items-center gap-1.5 rounded-md border px-2 text-xs font-strong whitespace-nowrap [&_svg]:size-3.5 [&_svg]:shrink-0'

/** A short label: '12 leads found', 'Save 50%'. */
export function Badge({ tone = 'neutral', icon, children }: { tone?: Tone; icon?: ReactNode; children: ReactNode }) {
  return (
    <span className={cn(shape, tones[tone])}>
      {icon}
      {children}
    </span>
  )
}

const sent = `${colored} text-status-sent`
const busy = `${colored} text-status-sending [&_svg]:animate-spin`
const ended = 'border-line bg-sunken text-status-archived'

/** The label, icon and color of every status. */
export const statusLooks = {
  // messages
  queued: { label: 'Queued', icon: Clock, className: `${colored} text-status-queued` },
  sending: { label: 'Sending', icon: LoaderCircle, className: busy },
  sent: { label: 'Sent', icon: Check, className: sent },
  delivered: { label: 'Delivered', icon: CheckCheck, className: `${colored} text-status-delivered` },
  replied: { label: 'Replied', icon: Reply, className: `${colored} text-status-replied` },
  failed: { label: 'Failed', icon: CircleAlert, className: `${colored} text-status-failed` },
  /** Failed before it was tried, for a reason that concerns the person. */
  skipped: { label: 'Skipped', icon: Ban, className: ended },
  // leads
  not_sent: { label: 'Not sent', icon: Clock, className: 'border-line bg-transparent text-muted' },
  contacted: { label: 'Sent', icon: Check, className: sent },
  failed_contact: { label: 'Failed', icon: CircleAlert, className: `${colored} text-status-failed` },
  // campaigns and scrapes
  draft: { label: CAMPAIGN_STATUS_TEXTS.draft, icon: Pencil, className: `${colored} text-status-draft` },
  active: { label: CAMPAIGN_STATUS_TEXTS.active, icon: Play, className: `${colored} text-status-active` },
  running: { label: 'Running', icon: LoaderCircle, className: busy },
  waiting: { label: 'Waiting', icon: Clock, className: `${colored} text-status-queued` },
  paused: { label: CAMPAIGN_STATUS_TEXTS.paused, icon: Pause, className: `${colored} text-status-paused` },
  completed: {
    label: CAMPAIGN_STATUS_TEXTS.completed,
    icon: CircleCheck,
    className: `${colored} text-status-completed`,
  },
  canceled: { label: 'Canceled', icon: Ban, className: ended },
  archived: { label: CAMPAIGN_STATUS_TEXTS.archived, icon: Archive, className: ended },
} as const satisfies Record<string, { label: string; icon: LucideIcon; className: string }>

export type Status = keyof typeof statusLooks

/** A status badge. Unknown statuses are shown as they are. `children` replaces the label. */
export function StatusBadge({ status, children }: { status: Status | (string & {}); children?: ReactNode }) {
  const look = Object.hasOwn(statusLooks, status) ? statusLooks[status as Status] : null
  if (!look) return <Badge>{children ?? status}</Badge>
  const Icon = look.icon
  return (
    <span data-status={status} className={cn(shape, look.className)}>
      <Icon aria-hidden />
      {children ?? look.label}
    </span>
  )
}

/** A status as a dot and a word, for dense tables. The dot is hollow if nothing has happened yet. */
export function StatusDot({ status }: { status: Status | 'suppressed' }) {
  const { label, className } =
    status === 'suppressed' ? { label: 'Suppressed', className: 'text-status-failed' } : statusLooks[status]
  return (
    <span data-status={status} className="inline-flex items-center gap-2 whitespace-nowrap">
      <span
        aria-hidden
        className={cn(
          'size-1.75 shrink-0 rounded-full border-[1.5px] border-current',
          className.match(/text-\S+$/)?.[0],
          status !== 'not_sent' && 'bg-current',
        )}
      />
      {label}
    </span>
  )
}
