import { LoaderCircle } from 'lucide-react'
import type { ComponentProps, MouseEvent, ReactNode } from 'react'
import { Link, type LinkProps } from 'react-router'
import { cx } from './cx'

export type ButtonVariant = 'primary' | 'secondary' | 'ghost' | 'danger'
export type ButtonSize = 'sm' | 'md' | 'lg'

interface Look {
  variant?: ButtonVariant
  size?: ButtonSize
  /** Takes the whole width there is. */
  wide?: boolean
}

const variants: Record<ButtonVariant, string> = {
  primary:
    'border-accent-edge bg-accent text-accent-ink shadow-xs hover:bg-accent-hover active:bg-accent-pressed off:border-line off:bg-sunken off:text-faint off:shadow-none',
  secondary:
    'border-control bg-surface text-ink shadow-xs hover:bg-sunken active:bg-pressed off:border-line off:text-faint off:shadow-none',
  ghost: 'border-transparent text-ink hover:bg-hover active:bg-pressed off:text-faint',
  danger:
    'border-transparent bg-bad-fill text-on-bad shadow-xs hover:bg-bad-fill-hover off:bg-sunken off:text-faint off:shadow-none',
}

const sizes: Record<ButtonSize, string> = {
  sm: 'min-h-8 px-2.5 text-sm gap-1.5 pointer-coarse:min-h-10',
  md: 'min-h-9 px-3.5 text-sm gap-2 pointer-coarse:min-h-11',
  lg: 'min-h-11 px-5 text-base gap-2',
}

/** The classes of a button, for what looks like one but is something else (a link, a menu trigger). */
export function buttonClass({ variant = 'secondary', size = 'md', wide }: Look): string {
  return cx(
    'relative inline-flex items-center justify-center rounded-md border font-strong whitespace-nowrap transition-colors select-none',
    'off:cursor-not-allowed [&_svg]:size-4 [&_svg]:shrink-0',
    variants[variant],
    sizes[size],
    wide && 'w-full',
  )
}

export interface ButtonProps extends Look, ComponentProps<'button'> {
  /** Stands before the words. */
  icon?: ReactNode
  /** Shows that the work is under way and refuses further presses. Keeps its width; `children` should say what happens ('Saving…'). */
  loading?: boolean
}

/** What was pressed is under way: neither a press nor the form that it would send gets through. */
function refuse(event: MouseEvent) {
  event.preventDefault()
  event.stopPropagation()
}

/** A button that is at work keeps the focus, which a browser takes from one that is disabled. */
function busy(loading: boolean | undefined): Pick<ComponentProps<'button'>, 'aria-busy' | 'aria-disabled' | 'onClick'> {
  return loading ? { 'aria-busy': true, 'aria-disabled': true, onClick: refuse } : {}
}

/** A button. `type` is 'button' unless said otherwise, so that none submits a form by accident. */
export function Button({
  variant,
  size,
  wide,
  icon,
  loading,
  className,
  children,
  disabled,
  type = 'button',
  ...rest
}: ButtonProps) {
  return (
    <button
      {...rest}
      {...busy(loading)}
      type={type}
      disabled={disabled}
      className={cx(buttonClass({ variant, size, wide }), className)}
    >
      {loading ? <LoaderCircle aria-hidden className="animate-spin" /> : icon}
      {children}
    </button>
  )
}

export interface ButtonLinkProps extends Look, LinkProps {
  icon?: ReactNode
}

/** A link that looks like a button: it leads somewhere and changes nothing. */
export function ButtonLink({ variant, size, wide, icon, className, children, ...rest }: ButtonLinkProps) {
  return (
    <Link {...rest} className={cx(buttonClass({ variant, size, wide }), className)}>
      {icon}
      {children}
    </Link>
  )
}

export interface IconButtonProps extends Omit<ComponentProps<'button'>, 'aria-label'> {
  /** What it does, for those who do not see the icon; also its tooltip's words. */
  label: string
  variant?: ButtonVariant
  size?: ButtonSize
  loading?: boolean
}

const iconSizes: Record<ButtonSize, string> = {
  sm: 'size-8 pointer-coarse:size-10',
  md: 'size-9 pointer-coarse:size-11',
  lg: 'size-11',
}

/** A button that is only an icon. Put it in a `Tooltip` where the icon alone leaves doubt. */
export function IconButton({
  label,
  variant = 'ghost',
  size = 'md',
  loading,
  className,
  children,
  disabled,
  type = 'button',
  ...rest
}: IconButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      {...busy(loading)}
      aria-label={label}
      disabled={disabled}
      className={cx(
        'inline-flex shrink-0 items-center justify-center rounded-md border transition-colors off:cursor-not-allowed [&_svg]:size-4',
        variants[variant],
        iconSizes[size],
        className,
      )}
    >
      {loading ? <LoaderCircle aria-hidden className="animate-spin" /> : children}
    </button>
  )
}
