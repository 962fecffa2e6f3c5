import { LogOut, Menu as MenuIcon } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Link, NavLink, useLocation } from 'react-router'
import { paths } from '../../paths'
import { session, type User, useSession } from '../../session'
import { Avatar } from '../../ui/avatar'
import { Button, ButtonLink, IconButton } from '../../ui/button'
import { Sheet } from '../../ui/dialog'
import { Menu, MenuItem, MenuLink, MenuNote, MenuSeparator } from '../../ui/menu'
import { Mark } from './logo'
import { guestLinks, memberLinks, type NavigationLink, profileLinks } from './navigation'

/** The bar on every page: where one is, where one can go, and who one is. */
export function Header() {
  const state = useSession()
  const user = state.status === 'signed-in' ? state.user : null
  return (
    <header className="sticky top-0 z-30 border-b border-line bg-canvas">
      <div className="page-width flex h-header items-center gap-4">
        <Link to={paths.home} className="flex items-center gap-2 rounded-md font-strong tracking-tight">
          <Mark className="size-6" />
          <span className="text-base">X-Automated</span>
        </Link>
        <nav
          aria-label="Main"
          data-guest-only={user ? undefined : ''}
          className="flex flex-1 items-center gap-1 ps-2 max-md:hidden"
        >
          {(user ? memberLinks : guestLinks).map((link) => (
            <BarLink key={link.to} {...link} />
          ))}
        </nav>
        <div className="ms-auto flex items-center gap-1" data-guest-only={user ? undefined : ''}>
          {user ? (
            <Profile user={user} />
          ) : (
            <ButtonLink to={paths.login} size="sm" className="max-md:hidden">
              Sign In
            </ButtonLink>
          )}
          <NarrowMenu user={user} />
        </div>
      </div>
    </header>
  )
}

function BarLink({ to, label }: NavigationLink) {
  return (
    <NavLink
      to={to}
      end={to === paths.home}
      className="rounded-md px-2.5 py-1.5 text-muted transition-colors hover:bg-hover hover:text-ink aria-[current=page]:bg-pressed aria-[current=page]:text-ink"
    >
      {label}
    </NavLink>
  )
}

function Profile({ user }: { user: User }) {
  return (
    <div className="max-md:hidden">
      <Menu
        trigger={
          <IconButton label="Profile menu" className="rounded-full!">
            <Avatar name={user.email} size="sm" />
          </IconButton>
        }
      >
        <MenuNote>
          <span className="block truncate">{user.email}</span>
        </MenuNote>
        <MenuSeparator />
        {profileLinks.map((link) => (
          <MenuLink key={link.label} to={link.to}>
            {link.label}
          </MenuLink>
        ))}
        <MenuSeparator />
        <MenuItem icon={<LogOut aria-hidden />} onSelect={() => void session.signOut()}>
          Logout
        </MenuItem>
      </Menu>
    </div>
  )
}

/** The same links, below 768 px. */
function NarrowMenu({ user }: { user: User | null }) {
  const [open, setOpen] = useState(false)
  const { key } = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: arriving somewhere closes the menu
  useEffect(() => setOpen(false), [key])

  const links = user
    ? [...profileLinks, ...memberLinks.filter((link) => profileLinks.every(({ to }) => to !== link.to))]
    : guestLinks
  return (
    <div className="md:hidden">
      <IconButton label="Open menu" aria-expanded={open} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <MenuIcon aria-hidden className="size-5!" />
      </IconButton>
      <Sheet
        open={open}
        onClose={() => setOpen(false)}
        title="Menu"
        description={user?.email}
        footer={
          user ? (
            <Button icon={<LogOut aria-hidden />} onClick={() => void session.signOut()}>
              Logout
            </Button>
          ) : (
            <ButtonLink to={paths.login} variant="primary">
              Sign In
            </ButtonLink>
          )
        }
      >
        <nav aria-label="Menu" className="-mx-3 grid">
          {links.map(({ to, label }) => (
            <NavLink
              key={label}
              to={to}
              end={to === paths.home}
              className="rounded-md px-3 py-3 text-base hover:bg-hover aria-[current=page]:bg-pressed aria-[current=page]:font-strong"
            >
              {label}
            </NavLink>
          ))}
        </nav>
      </Sheet>
    </div>
  )
}
