import { type ComponentProps, type ReactNode, useEffect, useId, useRef } from 'react'
import { cn } from './cn'

interface Labelled {
  /** Required unless `aria-label` is set (in table rows). */
  label?: ReactNode
  hint?: ReactNode
}

interface CheckboxProps extends Omit<ComponentProps<'input'>, 'type'>, Labelled {
  /** Whether some but not all items are selected. */
  indeterminate?: boolean
}

/** A checkbox, for values that are saved with their form, and for selecting rows. */
export function Checkbox({ label, hint, indeterminate = false, className, ref, ...props }: CheckboxProps) {
  const own = useRef<HTMLInputElement | null>(null)
  useEffect(() => {
    if (own.current) own.current.indeterminate = indeterminate
  }, [indeterminate])
  const box = (
    <input
      {...props}
      type="checkbox"
      ref={(node) => {
        own.current = node
        if (typeof ref === 'function') return ref(node)
        if (ref) ref.current = node
      }}
      className="tick"
    />
  )
  return (
    <Choice label={label} hint={hint} className={className}>
      {box}
    </Choice>
  )
}

/** A switch, for settings that take effect without a save button. */
export function Switch({
  label,
  hint,
  className,
  ...props
}: Omit<ComponentProps<'input'>, 'type' | 'role'> & Labelled) {
  return (
    <Choice label={label} hint={hint} className={className}>
      {/* biome-ignore lint/a11y/useAriaPropsForRole: a checkbox exposes its own checked state */}
      <input {...props} type="checkbox" role="switch" className="switch" />
    </Choice>
  )
}

function Choice({
  label,
  hint,
  className,
  children,
}: Labelled & { className?: string | undefined; children: ReactNode }) {
  if (!label) return children
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is in `children`
    <label className={cn('flex w-fit items-start gap-2.5 pointer-coarse:py-1.5', className)}>
      <span className="flex h-5 items-center">{children}</span>
      <span className="grid gap-0.5">
        <span>{label}</span>
        {hint && <span className="text-muted">{hint}</span>}
      </span>
    </label>
  )
}

interface RadioGroupProps {
  /** The group's label. */
  label: ReactNode
  options: readonly { value: string; label: ReactNode; hint?: ReactNode }[]
  value: string | null
  onChange: (value: string) => void
  hideLabel?: boolean
}

/** A choice between a few visible options. */
export function RadioGroup({ label, options, value, onChange, hideLabel }: RadioGroupProps) {
  const name = useId()
  return (
    <fieldset className="grid content-start gap-2">
      <legend className={cn('mb-2 font-strong', hideLabel && 'sr-only')}>{label}</legend>
      {options.map((option) => (
        <Choice key={option.value} label={option.label} hint={option.hint}>
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
            className="tick"
          />
        </Choice>
      ))}
    </fieldset>
  )
}
