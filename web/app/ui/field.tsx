import { CircleAlert } from 'lucide-react'
import { createContext, type ReactNode, useContext, useId } from 'react'
import { cn } from './cn'

interface Wiring {
  id: string
  'aria-describedby': string | undefined
  'aria-invalid': true | undefined
  /** Only passed on if true, so that native controls keep their own `required`. */
  required: boolean
}

const FieldContext = createContext<Wiring | null>(null)

export interface FieldProps {
  label: ReactNode
  /** Below the control. An error replaces it. */
  hint?: ReactNode
  /** Replaces the hint. */
  error?: string | undefined
  /** To the right of the label: a link or a counter. */
  aside?: ReactNode
  required?: boolean
  /** Hides the label from everyone but screen readers. */
  hideLabel?: boolean
  className?: string
  /** One control from this folder, which gets its id and state from the Field. */
  children: ReactNode
}

/** A control with an accessible label, hint and error. */
export function Field({ label, hint, error, aside, required = false, hideLabel, className, children }: FieldProps) {
  const id = useId()
  const hintId = `${id}-hint`
  const errorId = `${id}-error`
  const describedBy = error ? errorId : hint ? hintId : undefined
  return (
    <div className={cn('grid content-start gap-1.5', className)}>
      <div className={cn('flex items-baseline justify-between gap-3', hideLabel && !aside && 'sr-only')}>
        <label htmlFor={id} className={cn('font-strong', hideLabel && 'sr-only')}>
          {label}
        </label>
        {aside && <div className="text-muted">{aside}</div>}
      </div>
      <FieldContext value={{ id, 'aria-describedby': describedBy, 'aria-invalid': error ? true : undefined, required }}>
        {children}
      </FieldContext>
      {error ? <FieldError id={errorId}>{error}</FieldError> : hint && <FieldHint id={hintId}>{hint}</FieldHint>}
    </div>
  )
}

/** Connects a control to its Field. The control's own props take precedence. */
export function useFieldWiring<P extends { id?: string | undefined; required?: boolean | undefined }>(own: P): P {
  const field = useContext(FieldContext)
  if (!field) return own
  const { required, ...wiring } = field
  return { ...wiring, ...(required ? { required } : {}), ...own }
}

function FieldHint({ id, children }: { id?: string; children: ReactNode }) {
  return (
    <p id={id} className="text-muted">
      {children}
    </p>
  )
}

/** An error that screen readers announce. Outside a Field, the control must reference `id` in `aria-describedby`. */
export function FieldError({ id, children }: { id?: string; children: ReactNode }) {
  return (
    <p id={id} role="alert" className="flex gap-1.5 text-bad">
      <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      <span>{children}</span>
    </p>
  )
}
