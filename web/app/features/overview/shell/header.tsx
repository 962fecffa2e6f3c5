import { Menu as MenuIcon } from 'lucide-react'
import { Link, NavLink } from 'react-router'
import { paths } from '../../../paths'
import { useCarriedReferral } from '../../../referral-code'
import { useSession } from '../../../session'
import { ButtonLink, iconButtonClass } from '../../../ui/button'
import { Mark } from './logo'
import { MemberHeader } from './member-header'
import { guestLinks, menuLinkClass } from './navigation'

/** On every page: the bar for guests, or the frame for signed-in users. */
export function Header() {
  const state = useSession()
  return state.status === 'signed-in' ? <MemberHeader user={state.user} /> : <GuestHeader />
}

function GuestHeader() {
  const carry = useCarriedReferral()
  return (
    <header data-guest-header className="sticky top-0 z-30 border-b border-line bg-canvas">
      <div className="page-width flex h-header items-center gap-4">
        <Link to={carry(paths.home)} className="flex items-center gap-2 rounded-md font-strong tracking-tight">
          <Mark className="size-6" />
          <span className="text-base">X-Automated</span>
        </Link>
        <nav aria-label="Main" data-guest-only className="flex flex-1 items-center gap-1 ps-2 max-md:hidden">
          {guestLinks.map(({ to, label }) => (
            <NavLink
              key={to}
              to={carry(to)}
              className="rounded-md px-2.5 py-1.5 text-muted transition-colors hover:bg-hover hover:text-ink aria-[current=page]:bg-pressed aria-[current=page]:text-ink"
            >
              {label}
            </NavLink>
          ))}
        </nav>
        <div className="ms-auto flex items-center gap-1" data-guest-only>
          <ButtonLink to={carry(paths.login)} size="sm" className="max-md:hidden">
            Sign In
          </ButtonLink>
          <GuestMenu />
        </div>
      </div>
    </header>
  )
}

/** Works without the app. features/overview/shell/startup-script.ts closes it. */
function GuestMenu() {
  const carry = useCarriedReferral()
  return (
    <details data-menu className="md:hidden">
      <summary aria-label="Open menu" title="Open menu" className={iconButtonClass({})}>
        <MenuIcon className="size-5!" />
      </summary>
      <nav
        aria-label="Menu"
        className="absolute inset-x-0 top-full grid gap-1 border-y border-line bg-canvas px-4 pt-2 pb-4 shadow-md"
      >
        {guestLinks.map(({ to, label }) => (
          <NavLink key={to} to={carry(to)} className={menuLinkClass}>
            {label}
          </NavLink>
        ))}
        <ButtonLink to={carry(paths.login)} variant="primary">
          Sign In
        </ButtonLink>
      </nav>
    </details>
  )
}
