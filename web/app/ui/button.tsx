import { LoaderCircle } from 'lucide-react'
import type { ComponentProps, MouseEvent, ReactNode } from 'react'
import { Link, type LinkProps } from 'react-router'
import { cn } from './cn'

export type ButtonVariant = 'primary' | 'secondary' | 'ghost' | 'danger'
export type ButtonSize = 'sm' | 'md' | 'lg'

interface Look {
  variant?: ButtonVariant
  size?: ButtonSize
  /** Full width. */
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

/** Button classes for other elements, such as links and menu triggers. */
export function buttonClass({ variant = 'secondary', size = 'md', wide }: Look): string {
  return cn(
    'relative inline-flex items-center justify-center rounded-md border font-strong whitespace-nowrap transition-colors select-none',
    'off:cursor-not-allowed [&_svg]:size-4 [&_svg]:shrink-0',
    variants[variant],
    sizes[size],
    wide && 'w-full',
  )
}

export interface ButtonProps extends Look, ComponentProps<'button'> {
  /** Shown before the label. */
  icon?: ReactNode
  /** Shows a spinner and ignores presses. `children` should say what is happening ('Saving…'). */
  loading?: boolean
}

/** Blocks clicks and form submits while loading. */
function ignoreClick(event: MouseEvent) {
  event.preventDefault()
  event.stopPropagation()
}

/** Sets aria-disabled instead of disabled, because a disabled button would lose the focus. */
function busy(loading: boolean | undefined): Pick<ComponentProps<'button'>, 'aria-busy' | 'aria-disabled' | 'onClick'> {
  return loading ? { 'aria-busy': true, 'aria-disabled': true, onClick: ignoreClick } : {}
}

/** A button. `type` defaults to 'button', so that no button submits a form by accident. */
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
      className={cn(buttonClass({ variant, size, wide }), className)}
    >
      {loading ? <LoaderCircle aria-hidden className="animate-spin" /> : icon}
      {children}
    </button>
  )
}

interface ButtonLinkProps extends Look, LinkProps {
  icon?: ReactNode
}

/** A link styled as a button, for navigation only. */
export function ButtonLink({ variant, size, wide, icon, className, children, ...rest }: ButtonLinkProps) {
  return (
    <Link {...rest} className={cn(buttonClass({ variant, size, wide }), className)}>
      {icon}
      {children}
    </Link>
  )
}

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'aria-label' | 'children'> {
  icon: ReactNode
  /** Accessible name and title. */
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

/** Icon button classes for other elements. */
export function iconButtonClass({ variant = 'ghost', size = 'md' }: Look): string {
  return cn(
    'inline-flex shrink-0 items-center justify-center rounded-md border transition-colors off:cursor-not-allowed [&_svg]:size-4',
    variants[variant],
    iconSizes[size],
  )
}

/** An icon-only button. Wrap it in a `Tooltip` if the icon isn't obvious. */
export function IconButton({
  icon,
  label,
  variant,
  size,
  loading,
  className,
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
      className={cn(iconButtonClass({ variant, size }), className)}
    >
      {loading ? <LoaderCircle aria-hidden className="animate-spin" /> : icon}
    </button>
  )
}
