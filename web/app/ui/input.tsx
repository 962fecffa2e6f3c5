import { Eye, EyeOff } from 'lucide-react'
import { type ComponentProps, type ReactNode, useState } from 'react'
import { cn } from './cn'
import { useFieldWiring } from './field'

export interface InputProps extends ComponentProps<'input'> {
  /** Before the text: an icon, or '@'. */
  leading?: ReactNode
  /** After the text: a unit, or an icon button of size 'sm'. */
  trailing?: ReactNode
}

/** A text field. Accepts `{...register('name')}` of react-hook-form. */
export function Input({ leading, trailing, className, ...own }: InputProps) {
  const props = useFieldWiring(own)
  if (!leading && !trailing) return <input {...props} className={cn('control', className)} />
  return (
    <div
      data-disabled={props.disabled || undefined}
      className={cn('control flex items-center gap-2 py-0! has-[button]:pe-1!', className)}
    >
      {leading && <span className="flex shrink-0 text-muted [&_svg]:size-4">{leading}</span>}
      <input
        {...props}
        className="w-0 min-w-0 flex-1 self-stretch bg-transparent outline-none placeholder:text-faint"
      />
      {trailing && <span className="flex shrink-0 text-muted">{trailing}</span>}
    </div>
  )
}

/** A password field. Set `autoComplete` to 'current-password' or 'new-password'. */
export function PasswordInput(props: Omit<InputProps, 'type' | 'trailing'>) {
  const [isShown, setShown] = useState(false)
  const Icon = isShown ? EyeOff : Eye
  return (
    <Input
      autoCapitalize="none"
      spellCheck={false}
      {...props}
      data-secret
      type={isShown ? 'text' : 'password'}
      trailing={
        <button
          type="button"
          aria-label={isShown ? 'Hide password' : 'Show password'}
          aria-pressed={isShown}
          onClick={() => setShown(!isShown)}
          disabled={props.disabled}
          className="flex size-7 items-center justify-center rounded-sm text-muted hover:bg-hover hover:text-ink pointer-coarse:size-9"
        >
          <Icon aria-hidden className="size-4" />
        </button>
      }
    />
  )
}

/**
 * A textarea that grows with its text. Has no `maxLength`, because that silently truncates pasted
 * text (see `lengthProps`).
 */
export function Textarea({ className, ...own }: Omit<ComponentProps<'textarea'>, 'maxLength'>) {
  return <textarea dir="auto" {...useFieldWiring(own)} className={cn('control', className)} />
}
