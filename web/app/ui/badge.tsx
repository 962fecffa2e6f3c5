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

const tones: Record<Tone, string> = {
  neutral: 'border-line bg-sunken text-muted',
  accent: 'border-accent-edge bg-accent text-accent-ink',
  info: 'border-info/25 bg-info/8 text-info',
  good: 'border-good/25 bg-good/8 text-good',
  warn: 'border-warn/25 bg-warn/8 text-warn',
  bad: 'border-bad/25 bg-bad/8 text-bad',
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

interface StatusLook {
  label: string
  icon: LucideIcon
  className: string
}

const quiet = 'border-status-queued/25 bg-status-queued/8 text-status-queued'
const sent = 'border-status-sent/25 bg-status-sent/8 text-status-sent'
const failed = 'border-status-failed/25 bg-status-failed/8 text-status-failed'

/** The label, icon and color of every status. */
export const statusLooks = {
  // messages
  queued: { label: 'Queued', icon: Clock, className: quiet },
  sending: {
    label: 'Sending',
    icon: LoaderCircle,
    className: 'border-status-sending/25 bg-status-sending/8 text-status-sending [&_svg]:animate-spin',
  },
  sent: { label: 'Sent', icon: Check, className: sent },
  delivered: {
    label: 'Delivered',
    icon: CheckCheck,
    className: 'border-status-delivered/25 bg-status-delivered/8 text-status-delivered',
  },
  replied: {
    label: 'Replied',
    icon: Reply,
    className: 'border-status-replied/25 bg-status-replied/8 text-status-replied',
  },
  failed: { label: 'Failed', icon: CircleAlert, className: failed },
  // leads
  not_sent: { label: 'Not sent', icon: Clock, className: 'border-line bg-transparent text-muted' },
  contacted: { label: 'Sent', icon: Check, className: sent },
  failed_contact: { label: 'Failed', icon: CircleAlert, className: failed },
  // campaigns and scrapes
  draft: {
    label: 'Draft',
    icon: Pencil,
    className: 'border-status-draft/25 bg-status-draft/8 text-status-draft',
  },
  active: {
    label: 'Active',
    icon: Play,
    className: 'border-status-active/25 bg-status-active/8 text-status-active',
  },
  running: {
    label: 'Running',
    icon: LoaderCircle,
    className: 'border-status-sending/25 bg-status-sending/8 text-status-sending [&_svg]:animate-spin',
  },
  waiting: { label: 'Waiting', icon: Clock, className: quiet },
  paused: {
    label: 'Paused',
    icon: Pause,
    className: 'border-status-paused/25 bg-status-paused/8 text-status-paused',
  },
  completed: {
    label: 'Completed',
    icon: CircleCheck,
    className: 'border-status-completed/25 bg-status-completed/8 text-status-completed',
  },
  canceled: { label: 'Canceled', icon: Ban, className: 'border-line bg-sunken text-status-archived' },
  archived: { label: 'Archived', icon: Archive, className: 'border-line bg-sunken text-status-archived' },
} as const satisfies Record<string, StatusLook>

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
