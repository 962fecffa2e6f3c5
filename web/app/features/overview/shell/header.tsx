import { Menu as MenuIcon } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { Link, NavLink, useLocation } from 'react-router'
import { paths } from '../../../paths'
import { useCarriedReferral } from '../../../referral-code'
import { type User, useSession } from '../../../session'
import { Avatar } from '../../../ui/avatar'
import { ButtonLink, IconButton, iconButtonClass } from '../../../ui/button'
import { loadOnDemand } from '../../../ui/load-on-demand'
import { Mark } from './logo'
import { guestLinks, memberLinks, menuLinkClass, type NavigationLink } from './navigation'

// Loaded on demand: not needed to read a page.
const loadNarrowMenu = () => import('./narrow-menu')
const NarrowMenu = lazy(loadNarrowMenu)
const Bell = lazy(() => import('../../platform/notifications/bell'))
const Profile = lazy(() => import('./profile'))

/** The bar on every page. */
export function Header() {
  const state = useSession()
  const user = state.status === 'signed-in' ? state.user : null
  const carry = useCarriedReferral()
  return (
    <header className="sticky top-0 z-30 border-b border-line bg-canvas">
      <div className="page-width flex h-header items-center gap-4">
        <Link to={carry(paths.home)} className="flex items-center gap-2 rounded-md font-strong tracking-tight">
          <Mark className="size-6" />
          <span className="text-base">X-Automated</span>
        </Link>
        <nav
          aria-label="Main"
          data-guest-only={user ? undefined : ''}
          className="flex flex-1 items-center gap-1 ps-2 max-md:hidden"
        >
          {(user ? memberLinks : guestLinks).map((link) => (
            <BarLink key={link.to} {...link} to={carry(link.to)} />
          ))}
        </nav>
        <div className="ms-auto flex items-center gap-1" data-guest-only={user ? undefined : ''}>
          {user && (
            <div className="flex size-9 items-center justify-center pointer-coarse:size-11">
              <Suspense>
                <Bell />
              </Suspense>
            </div>
          )}
          {user ? (
            <div className="flex size-9 items-center justify-center max-md:hidden pointer-coarse:size-11">
              <Suspense fallback={<Avatar name={user.email} size="sm" />}>
                <Profile user={user} />
              </Suspense>
            </div>
          ) : (
            <ButtonLink to={carry(paths.login)} size="sm" className="max-md:hidden">
              Sign In
            </ButtonLink>
          )}
          {user ? <NarrowMenuButton user={user} /> : <GuestMenu />}
        </div>
      </div>
    </header>
  )
}

function BarLink({ to, label }: NavigationLink) {
  return (
    <NavLink
      to={to}
      className="rounded-md px-2.5 py-1.5 text-muted transition-colors hover:bg-hover hover:text-ink aria-[current=page]:bg-pressed aria-[current=page]:text-ink"
    >
      {label}
    </NavLink>
  )
}

/** Works without the app; features/overview/shell/startup-script.ts closes it. */
function GuestMenu() {
  const carry = useCarriedReferral()
  const { key } = useLocation()
  return (
    // A new one on each page, so that it is closed.
    <details key={key} data-menu className="md:hidden">
      <summary aria-label="Open menu" title="Open menu" className={iconButtonClass({})}>
        <MenuIcon aria-hidden className="size-5!" />
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

function NarrowMenuButton({ user }: { user: User }) {
  const [open, setOpen] = useState(false)
  const [wanted, setWanted] = useState(false)
  return (
    <div className="md:hidden">
      <IconButton
        label="Open menu"
        aria-expanded={open}
        aria-haspopup="dialog"
        onPointerEnter={() => void loadNarrowMenu().catch(() => {})}
        onClick={async () => {
          if (!(await loadOnDemand(loadNarrowMenu, 'The menu'))) return
          setWanted(true)
          setOpen(true)
        }}
      >
        <MenuIcon aria-hidden className="size-5!" />
      </IconButton>
      {wanted && (
        <Suspense>
          <NarrowMenu user={user} open={open} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </div>
  )
}
