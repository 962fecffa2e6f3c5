import { formatNumber } from '@x-automated/contract/format'
import type { FieldCondition } from '@x-automated/contract/leads/lead-rules'
import { X } from 'lucide-react'
import { type RefObject, useState } from 'react'
import { Popover } from '../../../ui/popover'
import { dayText } from './days'
import { CRITERIA, type Criterion, isSet } from './filter-criteria'
import { Editor, type EditorProps } from './filter-editor'
import type { FilterDraft } from './filter-fields'
import { LABEL_NAMES } from './history-text'
import { basisLabels, statusLabels } from './leads-url'
import { conditionText, rulesCountText, tagsText } from './rule-text'
import { useTagsToPick } from './tag-badge'
import { useFilterLocks } from './use-filter-plan'

/** The classes of a chip. */
export const chip =
  'inline-flex h-8 min-w-0 max-w-72 items-center rounded-md border border-control bg-surface text-ui pointer-coarse:h-10'

const chipButton = 'flex h-full min-w-0 items-center gap-1.5 rounded-md ps-2.5 pe-1'

interface FilterChipProps extends EditorProps {
  onRemove: () => void
  onEdit?: (isOpen: boolean) => void
  /** Gets the focus if the chip is removed because it was empty when closed. */
  addButton?: RefObject<HTMLButtonElement | null>
  /** Opens the builder of rules. */
  onRules?: () => void
  chipRef?: RefObject<HTMLButtonElement | null>
}

/** A criterion that is set. Pressing it edits it; its cross removes it. */
export function FilterChip({
  criterion,
  index,
  draft,
  onChange,
  onRemove,
  onEdit,
  addButton,
  onRules,
  chipRef,
}: FilterChipProps) {
  const [open, setOpen] = useState(false)
  const edit = (isOpen: boolean) => {
    setOpen(isOpen)
    onEdit?.(isOpen)
  }
  const condition = index === undefined ? undefined : draft.fields[index]
  const name = condition?.name ?? CRITERIA[criterion]
  const value = useValueText(criterion, draft, condition)
  const isLocked = useFilterLocks().rules !== null
  if (onRules && !isLocked)
    return (
      <span className={chip}>
        <button ref={chipRef} type="button" aria-haspopup="dialog" className={chipButton} onClick={onRules}>
          <span className="max-w-40 shrink-0 truncate text-muted">{name}</span>
          <bdi className="truncate">{value}</bdi>
        </button>
        <ChipCross label={`Remove filter: ${name}`} onClick={onRemove} />
      </span>
    )
  return (
    <span className={chip}>
      <Popover
        label={name}
        open={open}
        onOpenChange={edit}
        {...(addButton && !isSet(draft, criterion) && { finalFocus: addButton })}
        trigger={
          <button type="button" className={chipButton}>
            <span className="max-w-40 shrink-0 truncate text-muted">{name}</span>
            <bdi className="truncate">{value}</bdi>
          </button>
        }
      >
        <Editor
          criterion={criterion}
          {...(index !== undefined && { index })}
          draft={draft}
          onChange={onChange}
          onDone={() => edit(false)}
        />
      </Popover>
      <ChipCross label={`Remove filter: ${name}`} onClick={onRemove} />
    </span>
  )
}

export function ChipCross({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <button
      type="button"
      aria-label={label}
      onClick={onClick}
      className="me-0.5 flex size-6 shrink-0 items-center justify-center rounded-sm text-muted hover:bg-hover hover:text-ink pointer-coarse:size-9"
    >
      <X aria-hidden className="size-3.5" />
    </button>
  )
}

function useValueText(criterion: Criterion, draft: FilterDraft, condition?: FieldCondition): string {
  const tags = useTagsToPick().data?.tags
  if (!isSet(draft, criterion)) return 'any'
  switch (criterion) {
    case 'followers':
      return rangeText(draft)
    case 'tags':
      return tagsText(draft.tags, tags ?? [])
    case 'fields':
      return condition ? conditionText(condition).slice(condition.name.length).trim() : ''
    case 'contactedAfter':
    case 'contactedBefore':
      return dayText(draft[criterion])
    case 'rules':
      return draft.rules ? rulesCountText(draft.rules) : ''
  }
  const value = draft[criterion]
  if (criterion === 'tag') return tags?.find(({ id, name }) => id === value || name === value)?.name ?? 'Unknown tag'
  const labels: Record<string, string> = { status: statusLabels, basis: basisLabels, label: LABEL_NAMES }[criterion]
  return labels[value] ?? value
}

function rangeText({ min, max }: Pick<FilterDraft, 'min' | 'max'>): string {
  if (min === null) return `up to ${formatNumber(max ?? 0)}`
  return max === null ? `${formatNumber(min)} or more` : `${formatNumber(min)} to ${formatNumber(max)}`
}
