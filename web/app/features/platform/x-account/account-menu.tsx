import { Check, Link2 } from 'lucide-react'
import type { ReactElement } from 'react'
import { paths } from '../../../paths'
import { Menu, MenuItem, MenuLink, MenuNote, MenuSeparator } from '../../../ui/menu'
import { useIsOffered } from '../../identity/people/use-role'
import { useChooseAccount } from './choose-account'
import { useAccounts } from './use-accounts'

/** A menu of the workspace's X accounts. Mounts open. */
export default function AccountMenu({ trigger }: { trigger: ReactElement }) {
  const accounts = useAccounts()
  const mayChoose = useIsOffered('admin')
  const choose = useChooseAccount()
  const all = accounts.data?.accounts ?? []
  const currentId = all[0]?.id
  return (
    <Menu defaultOpen align="start" trigger={trigger}>
      {[...all]
        .sort((a, b) => a.handle.localeCompare(b.handle))
        .map(({ id, handle, status }) => (
          <MenuItem
            key={id}
            icon={id === currentId ? <Check aria-label="Current" /> : <span className="size-4 shrink-0" />}
            disabled={!mayChoose && id !== currentId}
            onSelect={() => id !== currentId && choose.run(id)}
          >
            <span className="min-w-0 flex-1 truncate">@{handle}</span>
            {status === 'lost' && <span className="text-xs text-warn">Not connected</span>}
          </MenuItem>
        ))}
      <MenuSeparator />
      <MenuLink to={paths.xAutomation} icon={<Link2 />}>
        Manage X accounts
      </MenuLink>
      {all.length > 1 && (
        <MenuNote>
          <span className="text-xs">
            {mayChoose ? 'Press Alt+X to switch to the next one.' : 'Only admins can switch accounts.'}
          </span>
        </MenuNote>
      )}
    </Menu>
  )
}
