import { Menu as MenuIcon } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { Link, NavLink } from 'react-router'
import { paths } from '../../../paths'
import { useCarriedReferral } from '../../../referral-code'
import { type User, useSession } from '../../../session'
import { Avatar } from '../../../ui/avatar'
import { ButtonLink, IconButton } from '../../../ui/button'
import { loadOnDemand } from '../../../ui/load-on-demand'
import { Mark } from './logo'
import { guestLinks, memberLinks, type NavigationLink } from './navigation'

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
      {/* Menus need JavaScript; without it the links get their own line. */}
      <div className="page-width flex h-header items-center gap-4 noscript:max-md:h-auto noscript:max-md:flex-wrap noscript:max-md:gap-y-0 noscript:max-md:py-2">
        <Link to={carry(paths.home)} className="flex items-center gap-2 rounded-md font-strong tracking-tight">
          <Mark className="size-6" />
          <span className="text-base">X-Automated</span>
        </Link>
        <nav
          aria-label="Main"
          data-guest-only={user ? undefined : ''}
          className="flex flex-1 items-center gap-1 ps-2 max-md:hidden noscript:max-md:order-last noscript:max-md:flex noscript:max-md:basis-full noscript:max-md:ps-0"
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
            <ButtonLink to={carry(paths.login)} size="sm" className="max-md:hidden noscript:max-md:inline-flex">
              Sign In
            </ButtonLink>
          )}
          <NarrowMenuButton user={user} />
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

function NarrowMenuButton({ user }: { user: User | null }) {
  const [open, setOpen] = useState(false)
  const [wanted, setWanted] = useState(false)
  return (
    <div className="md:hidden noscript:hidden">
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
