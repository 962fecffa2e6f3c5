import { Menu as Base } from '@base-ui/react/menu'
import type { ReactElement, ReactNode, RefObject } from 'react'
import { Link } from 'react-router'
import { cn } from './cn'

interface MenuProps {
  /** The button that opens it: a Button or IconButton. */
  trigger: ReactElement
  align?: 'start' | 'end'
  /** For menus that load when their button is pressed. */
  defaultOpen?: boolean
  /** For menus that a key can open, too. */
  open?: boolean
  onOpenChange?: (open: boolean) => void
  /** The element to focus after closing. Defaults to the button. */
  finalFocus?: RefObject<HTMLElement | null>
  /** MenuItem, MenuLink, MenuSeparator or MenuNote. */
  children: ReactNode
}

/** A dropdown menu. */
export function Menu({ trigger, align = 'end', finalFocus, children, ...state }: MenuProps) {
  return (
    <Base.Root {...state}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={6} align={align} collisionPadding={8} className="z-50">
          <Base.Popup finalFocus={finalFocus} className="popup min-w-48 max-w-xs rounded-lg p-1">
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

const item =
  'flex min-h-8 w-full items-center gap-2.5 rounded-md px-2 text-start outline-none select-none data-disabled:text-faint data-highlighted:bg-hover pointer-coarse:min-h-11 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-muted'

interface MenuItemProps {
  onSelect: () => void
  icon?: ReactNode
  /** For actions that cannot be undone. */
  danger?: boolean
  disabled?: boolean
  children: ReactNode
}

/** An action. Choosing it closes the menu. */
export function MenuItem({ onSelect, icon, danger, disabled, children }: MenuItemProps) {
  return (
    <Base.Item
      onClick={onSelect}
      disabled={disabled}
      className={cn(item, 'cursor-default', danger && 'text-bad [&_svg]:text-bad!')}
    >
      {icon}
      {children}
    </Base.Item>
  )
}

interface MenuLinkProps {
  to: string
  /** True for pages outside of the app, which open in a new tab. */
  isOutside?: boolean
  icon?: ReactNode
  children: ReactNode
}

/** A menu item that opens a page. */
export function MenuLink({ to, isOutside, icon, children }: MenuLinkProps) {
  const outside = isOutside ? { reloadDocument: true, target: '_blank', rel: 'noopener' } : {}
  return (
    <Base.LinkItem render={<Link to={to} {...outside} />} closeOnClick className={item}>
      {icon}
      {children}
    </Base.LinkItem>
  )
}

export function MenuSeparator() {
  return <Base.Separator className="-mx-1 my-1 h-px bg-line" />
}

/** Static text in a menu, such as the account's email address. */
export function MenuNote({ children }: { children: ReactNode }) {
  return <div className="px-2 py-1.5 text-muted">{children}</div>
}
