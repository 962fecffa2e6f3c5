import { formatPercent } from '@x-automated/contract/format'
import { REPLY_LABELS, type ReplyLabel } from '@x-automated/contract/leads/leads'
import type { Conversation } from '@x-automated/contract/outreach/conversations'
import { ChevronDown } from 'lucide-react'
import { Kbd } from '../../../ui/kbd'
import { Menu, MenuItem } from '../../../ui/menu'
import { LabelName } from './label-name'

/** Labels in the order of their keys, 1 to 9. */
export const LABEL_KEYS: readonly ReplyLabel[] = REPLY_LABELS

interface LabelKeypadProps {
  conversation: Pick<Conversation, 'label' | 'confidence'>
  onLabel: (label: ReplyLabel) => void
}

/** The labels with their keys. */
export function LabelKeypad({ conversation: { label, confidence }, onLabel }: LabelKeypadProps) {
  return (
    <fieldset className="grid gap-1">
      <legend className="flex w-full items-baseline justify-between gap-2 pb-1">
        <span className="font-strong">Label</span>
        <Confidence value={confidence} />
      </legend>
      <div className="-mx-1.5 grid grid-cols-[6fr_7fr] gap-0.5">
        {LABEL_KEYS.map((option, index) => (
          <button
            key={option}
            type="button"
            aria-pressed={option === label}
            aria-keyshortcuts={String(index + 1)}
            onClick={() => onLabel(option)}
            className="group flex min-h-7.5 min-w-0 items-center gap-0.5 rounded-md px-1.5 text-xs transition-colors hover:bg-hover aria-pressed:bg-pressed aria-pressed:font-strong pointer-coarse:min-h-10"
          >
            <LabelName label={option} quiet />
            <span className="ms-auto">
              <Kbd>{String(index + 1)}</Kbd>
            </span>
          </button>
        ))}
      </div>
    </fieldset>
  )
}

/** The labels as a menu, if there is no room for the keypad. */
export function LabelMenu({ conversation: { label, confidence }, onLabel }: LabelKeypadProps) {
  return (
    <span className="flex items-center gap-2">
      <Menu
        align="start"
        trigger={
          <button
            type="button"
            className="flex min-h-7 items-center gap-1.5 rounded-md border border-line bg-sunken px-2.5 text-xs hover:bg-hover pointer-coarse:min-h-9"
          >
            <span className="sr-only">Label: </span>
            {label ? <LabelName label={label} /> : 'No label'}
            <ChevronDown aria-hidden className="size-3.5 text-muted" />
          </button>
        }
      >
        <LabelItems onLabel={onLabel} />
      </Menu>
      <Confidence value={confidence} />
    </span>
  )
}

/** The labels as items of a menu. */
export function LabelItems({ onLabel }: Pick<LabelKeypadProps, 'onLabel'>) {
  return LABEL_KEYS.map((label) => (
    <MenuItem key={label} onSelect={() => onLabel(label)}>
      <LabelName label={label} />
    </MenuItem>
  ))
}

/** How confident the classifier is. Empty if a person chose the label. */
function Confidence({ value }: { value: number | null }) {
  if (value === null) return null
  return (
    <span className="text-xs text-muted" data-numeric>
      {formatPercent(value)} sure
    </span>
  )
}
