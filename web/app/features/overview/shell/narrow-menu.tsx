import { ArrowLeftRight, LogOut } from 'lucide-react'
import { NavLink } from 'react-router'
import { paths } from '../../../paths'
import { useCarriedReferral } from '../../../referral-code'
import type { User } from '../../../session'
import { Button, ButtonLink } from '../../../ui/button'
import { Sheet } from '../../../ui/dialog'
import { ReauthProvider } from '../../identity/auth/reauthentication'
import { useSwitchWorkspace, useWorkspaces } from '../../identity/people/use-workspaces'
import { BackToFirstSteps } from '../first-steps/back-to-first-steps'
import { guestLinks, memberLinks, profileLinks } from './navigation'
import { useIsOperator } from './use-is-operator'
import { useSignOut } from './use-sign-out'

interface NarrowMenuProps {
  user: User | null
  open: boolean
  onClose: () => void
}

/** The links of the header and the profile menu, below 768 px. */
export default function NarrowMenu(props: NarrowMenuProps) {
  return (
    <ReauthProvider>
      <MenuSheet {...props} />
    </ReauthProvider>
  )
}

function MenuSheet({ user, open, onClose }: NarrowMenuProps) {
  const signOut = useSignOut()
  const carry = useCarriedReferral()
  const workspaces = useWorkspaces()
  const switching = useSwitchWorkspace(onClose)
  const more = memberLinks.filter((link) => profileLinks.every(({ to }) => to !== link.to))
  const operates = useIsOperator() === true
  const operator = operates ? [{ label: 'Operator', to: paths.operator }] : []
  const links = user ? [...profileLinks, ...more, ...operator] : guestLinks
  return (
    <Sheet
      open={open}
      onClose={onClose}
      title="Menu"
      description={user?.email}
      footer={
        user ? (
          <Button
            icon={<LogOut aria-hidden />}
            onClick={() => {
              onClose()
              signOut()
            }}
          >
            Logout
          </Button>
        ) : (
          <ButtonLink to={carry(paths.login)} variant="primary" onClick={onClose}>
            Sign In
          </ButtonLink>
        )
      }
    >
      {user && workspaces && workspaces.others.length > 0 && (
        <div className="mb-4 grid gap-2 border-b border-line pb-4">
          <p className="font-strong wrap-anywhere">{workspaces.current.name}</p>
          {workspaces.others.map(({ id, name }) => (
            <Button
              key={id}
              icon={<ArrowLeftRight aria-hidden />}
              loading={switching.isPending && switching.variables === id}
              onClick={() => switching.mutate(id)}
            >
              Switch to {name}
            </Button>
          ))}
        </div>
      )}
      <nav aria-label="Menu" className="-mx-3 grid">
        {links.map(({ to, label }) => (
          <NavLink
            key={label}
            to={carry(to)}
            onClick={onClose}
            className="rounded-md px-3 py-3 text-base hover:bg-hover aria-[current=page]:bg-pressed aria-[current=page]:font-strong"
          >
            {label}
          </NavLink>
        ))}
      </nav>
      {user && (
        <div className="grid pt-4">
          <BackToFirstSteps onPress={onClose} />
        </div>
      )}
    </Sheet>
  )
}
