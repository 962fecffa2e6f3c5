import type { ReplyLabel } from '@x-automated/contract/leads/leads'
import { cn } from '../../../ui/cn'
import { LABEL_NAMES } from '../../leads/leads/history-text'
import { LABEL_COLORS } from './inbox-text'

/** A label as a dot and a word. @param quiet colors only the dot */
export function LabelName({ label, quiet = false }: { label: ReplyLabel; quiet?: boolean }) {
  const color = LABEL_COLORS[label]
  return (
    <span className={cn('flex min-w-0 items-center', quiet ? 'gap-1.25' : 'gap-1.5', !quiet && color)}>
      <span aria-hidden className={cn('size-1.75 shrink-0 rounded-full bg-current', color)} />
      <span className="truncate">{LABEL_NAMES[label]}</span>
    </span>
  )
}
