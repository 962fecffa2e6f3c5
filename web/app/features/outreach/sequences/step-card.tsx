import { formatPercent } from '@x-automated/contract/format'
import { VARIANTS_MAX } from '@x-automated/contract/outreach/sequence-limits'
import { ArrowDown, ArrowUp, Ellipsis, GripVertical, Plus, Trash2 } from 'lucide-react'
import { type ComponentProps, type ReactNode, useId } from 'react'
import { Button, IconButton } from '../../../ui/button'
import { cn } from '../../../ui/cn'
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu'
import type { Remark } from './lint'
import { MessageEditor } from './message-editor'
import { openVariant, type StepDraft, type VariantDraft } from './sequence-draft'
import { TestSettings } from './test-settings'

interface StepCardProps {
  step: StepDraft
  index: number
  count: number
  /** 'Follow-up 2'. */
  name: string
  /** True for the last message on the line. */
  isLast: boolean
  problem: string | undefined
  remarks: readonly Remark[]
  /** The id of a saved campaign. */
  campaignId: string | undefined
  /** Whether the plan includes variants. */
  hasVariants: boolean
  onChange: (change: Partial<StepDraft>) => void
  onVariantChange: (key: string, change: Partial<VariantDraft>) => void
  onAddVariant: () => void
  onRemoveVariant: (variant: VariantDraft) => void
  onRemove: () => void
  onMove: (to: number) => void
  handle: ComponentProps<'button'>
}

/** A step with its variants. */
export function StepCard({ step, index, count, name, isLast, problem, remarks, campaignId, ...props }: StepCardProps) {
  const { hasVariants, onChange, onVariantChange, onMove, handle } = props
  const id = useId()
  const variant = openVariant(step)
  const isTest = step.variants.length > 1
  return (
    <Numbered number={index + 1} isLast={isLast}>
      <div className="flex min-h-8 flex-wrap items-center gap-x-1 gap-y-1 sm:gap-x-3">
        <label htmlFor={id} className="me-auto font-strong">
          {index === 0 ? 'Message template' : name}
          {isTest && <span className="sr-only">, variant {variant.name}</span>}
        </label>
        {isTest && (
          <VariantSwitch step={step} name={name} onChange={(openVariantKey) => onChange({ openVariantKey })} />
        )}
        {hasVariants && (
          <Button
            size="sm"
            variant="ghost"
            icon={<Plus />}
            aria-label="Add variant"
            disabled={step.variants.length >= VARIANTS_MAX}
            onClick={props.onAddVariant}
          >
            <span className="max-sm:hidden">Add variant</span>
            <span className="sm:hidden">Variant</span>
          </Button>
        )}
        {(count > 1 || isTest) && (
          <span className="flex items-center">
            {count > 1 && (
              <IconButton
                icon={<GripVertical />}
                label={`Move ${name.toLowerCase()}`}
                size="sm"
                className="cursor-grab touch-none active:cursor-grabbing max-sm:hidden"
                title="Drag, or press the up and down arrows"
                {...handle}
              />
            )}
            <Menu trigger={<IconButton icon={<Ellipsis />} label={`More for ${name.toLowerCase()}`} size="sm" />}>
              <MenuItem icon={<ArrowUp />} disabled={index === 0} onSelect={() => onMove(index - 1)}>
                Move up
              </MenuItem>
              <MenuItem icon={<ArrowDown />} disabled={index === count - 1} onSelect={() => onMove(index + 1)}>
                Move down
              </MenuItem>
              <MenuSeparator />
              {isTest && (
                <MenuItem icon={<Trash2 />} onSelect={() => props.onRemoveVariant(variant)}>
                  Remove variant {variant.name}
                </MenuItem>
              )}
              <MenuItem icon={<Trash2 />} disabled={count === 1} onSelect={props.onRemove}>
                Remove {name.toLowerCase()}
              </MenuItem>
            </Menu>
          </span>
        )}
      </div>
      <MessageEditor
        key={variant.key}
        id={id}
        value={variant.messageTemplate}
        onChange={(messageTemplate) => onVariantChange(variant.key, { messageTemplate })}
        placeholder={
          index === 0
            ? 'Hi {first_name}, I saw what you are building and wanted to say hello.'
            : 'One more thought, {first_name}.'
        }
        hint={
          index === 0 &&
          count === 1 &&
          'Personalize with variables: {first_name}, {lead_name}, {twitter_handle}, or any CSV column with a fallback.'
        }
        problem={problem}
        remarks={remarks}
        campaignId={campaignId}
      />
      {variant.isFrozen && (
        <p className="text-xs text-muted">
          This text has been sent. If you change it, the new text becomes a variant with its own results.
        </p>
      )}
      {isTest && <TestSettings step={step} onChange={onChange} onVariantChange={onVariantChange} />}
    </Numbered>
  )
}

interface NumberedProps {
  number: ReactNode
  /** The message is only sent if nothing has happened. */
  isQuiet?: boolean
  /** True for the last message on the line. */
  isLast: boolean
  children: ReactNode
}

/** A message on the line that connects the numbered steps. */
export function Numbered({ number, isQuiet, isLast, children }: NumberedProps) {
  return (
    <div className="grid grid-cols-[1.75rem_minmax(0,1fr)] gap-x-3">
      <div aria-hidden className="flex flex-col items-center gap-1">
        <span
          data-numeric
          className={cn(
            'flex size-7 items-center justify-center rounded-md text-xs font-strong',
            isQuiet ? 'bg-pressed text-muted' : 'bg-ink text-inverse',
          )}
        >
          {number}
        </span>
        {!isLast && <span className="w-px flex-1 bg-line" />}
      </div>
      <div className="grid min-w-0 grid-cols-1 content-start gap-1.5">{children}</div>
    </div>
  )
}

interface VariantSwitchProps {
  step: StepDraft
  name: string
  onChange: (key: string) => void
}

/** Opens one of a step's variants. Shows their shares. */
function VariantSwitch({ step, name, onChange }: VariantSwitchProps) {
  const { variants, allocation } = step
  const all = variants.reduce((sum, { weight }) => sum + (weight ?? 0), 0)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has a legend and a border
    <div role="group" aria-label={`Variants of ${name.toLowerCase()}`} className="flex flex-wrap gap-1">
      {variants.map(({ key, name: variantName, weight }) => (
        <button
          key={key}
          type="button"
          aria-pressed={key === openVariant(step).key}
          onClick={() => onChange(key)}
          className="flex min-h-8 items-center gap-1.5 rounded-md px-2 text-muted transition-colors hover:bg-hover aria-pressed:bg-pressed aria-pressed:font-strong aria-pressed:text-ink pointer-coarse:min-h-10"
        >
          <span>
            <span className="sr-only">Variant </span>
            {variantName}
          </span>{' '}
          {allocation === 'weights' && all > 0 && (
            <span className="text-xs font-normal text-muted" data-numeric>
              {formatPercent((weight ?? 0) / all)}
            </span>
          )}
        </button>
      ))}
    </div>
  )
}
