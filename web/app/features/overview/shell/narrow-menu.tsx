import { ArrowLeftRight, CircleQuestionMark, LogOut, Wrench } from 'lucide-react'
import { paths } from '../../../paths'
import type { User } from '../../../session'
import { Button } from '../../../ui/button'
import { Sheet } from '../../../ui/dialog'
import type { ControlledDialogProps } from '../../../ui/use-dialogs'
import { ReauthProvider } from '../../identity/auth/reauth-provider'
import { useSwitchWorkspace } from '../../identity/people/use-switch-workspace'
import { useWorkspaces } from '../../identity/people/use-workspaces'
import { AccountSwitcher } from '../../platform/x-account/account-switcher'
import { BackToFirstSteps } from '../first-steps/back-to-first-steps'
import { DockedStepsOnDemand } from '../first-steps/docked-steps-on-demand'
import { FrameLink } from './frame-link'
import { analytics, menuLinkClass, moreLinks, profileLinks } from './navigation'
import { useIsOperator } from './use-is-operator'
import { useSignOut } from './use-sign-out'

type NarrowMenuProps = ControlledDialogProps & { user: User }

/** Everything that does not fit into the bottom bar on phones. */
export default function NarrowMenu(props: NarrowMenuProps) {
  return (
    <ReauthProvider>
      <MenuSheet {...props} />
    </ReauthProvider>
  )
}

function MenuSheet({ user, ...dialog }: NarrowMenuProps) {
  const signOut = useSignOut()
  const workspaces = useWorkspaces()
  const switching = useSwitchWorkspace(dialog.onClose)
  const more = moreLinks.filter((link) => profileLinks.every(({ to }) => to !== link.to))
  const operates = useIsOperator() === true
  const operator = operates ? [{ label: 'Operator', to: paths.operator, icon: Wrench }] : []
  const help = { label: 'Help', to: paths.help, icon: CircleQuestionMark }
  const links = [...profileLinks, analytics, ...more, ...operator, help]
  return (
    <Sheet
      {...dialog}
      title="Menu"
      description={user.email}
      footer={
        <Button
          icon={<LogOut aria-hidden />}
          onClick={() => {
            dialog.onClose()
            signOut()
          }}
        >
          Logout
        </Button>
      }
    >
      {workspaces && workspaces.others.length > 0 && (
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
      <div className="-mx-2 pb-2">
        <AccountSwitcher />
      </div>
      <nav aria-label="Menu" className="-mx-3 grid">
        {links.map((link) => (
          <FrameLink key={link.label} link={link} className={menuLinkClass} onFollow={dialog.onClose}>
            {link.label}
          </FrameLink>
        ))}
      </nav>
      <div className="grid pt-4">
        <DockedStepsOnDemand onFollow={dialog.onClose} />
        <BackToFirstSteps onPress={dialog.onClose} />
      </div>
    </Sheet>
  )
}
