import type { ReactNode } from 'react'
import { NavLink } from 'react-router'
import { paths } from '../../../paths'
import { useCarriedReferral } from '../../../referral-code'
import { cn } from '../../../ui/cn'
import { NeedsScript } from '../../../ui/needs-script'

interface AuthFrameProps {
  title: string
  description?: ReactNode
  /** Shows the tabs for logging in and signing up. */
  tabs?: boolean
  children: ReactNode
  /** Below the form. */
  footer?: ReactNode
  /** To the right of the form, on wide screens. */
  aside?: ReactNode
}

/** The narrow column of all sign-in pages. */
export function AuthFrame({ title, description, tabs = true, children, footer, aside }: AuthFrameProps) {
  const carry = useCarriedReferral()
  return (
    <div
      className={cn(
        'page-width grid justify-center gap-x-20 py-10 md:py-20',
        aside ? 'grid-cols-[minmax(0,24rem)] lg:grid-cols-[24rem_26rem]' : 'grid-cols-[minmax(0,24rem)]',
      )}
    >
      <div className="grid content-start gap-6">
        {tabs && (
          <nav aria-label="Log in or sign up" className="grid grid-cols-2 gap-1 rounded-lg bg-sunken p-1">
            {[
              { to: paths.login, label: 'Login' },
              { to: paths.signUp, label: 'Sign Up' },
            ].map(({ to, label }) => (
              <NavLink
                key={to}
                to={carry(to)}
                replace
                className="rounded-md border border-transparent py-1.5 text-center text-muted transition-colors hover:text-ink aria-[current=page]:border-line aria-[current=page]:bg-raised aria-[current=page]:font-strong aria-[current=page]:text-ink aria-[current=page]:shadow-xs"
              >
                {label}
              </NavLink>
            ))}
          </nav>
        )}
        <div className="grid gap-1">
          <h1 className="text-2xl">{title}</h1>
          {description && <p className="text-muted">{description}</p>}
        </div>
        <NeedsScript />
        {children}
        {footer && <div className="text-center text-muted">{footer}</div>}
      </div>
      {aside}
    </div>
  )
}
