import { Check, ChevronsUpDown, CircleAlert, Link2 } from 'lucide-react'
import { useEffect, useEffectEvent } from 'react'
import { paths } from '../../../paths'
import { Button } from '../../../ui/button'
import { Menu, MenuItem, MenuLink, MenuNote, MenuSeparator } from '../../../ui/menu'
import { SkeletonButton } from '../../../ui/skeleton'
import { useIsOffered } from '../../identity/people/use-role'
import { isSwitchKey } from './switch-key'
import { useAccounts, useChooseAccount } from './use-accounts'

/** Shows the current X account and switches it by menu, or to the next one with Alt+X. */
export function AccountSwitcher() {
  const accounts = useAccounts()
  const mayChoose = useIsOffered('admin')
  const choose = useChooseAccount()
  const all = accounts.data?.accounts ?? []
  const current = all[0]
  const byHandle = [...all].sort((a, b) => a.handle.localeCompare(b.handle))

  const next = useEffectEvent((event: KeyboardEvent) => {
    if (!isSwitchKey(event)) return
    const following = byHandle[(byHandle.findIndex(({ id }) => id === current?.id) + 1) % byHandle.length]
    if (!mayChoose || !following || following.id === current?.id || choose.isPending) return
    event.preventDefault()
    choose.mutate({ id: following.id })
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => next(event)
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])

  // Reserves its space: on a phone it takes a separate line.
  if (accounts.isPending) return <SkeletonButton className="w-40 max-sm:w-full" />
  if (!accounts.data) return null
  if (!current) return <p className="flex min-h-9 items-center text-muted pointer-coarse:min-h-11">No X account yet</p>
  return (
    <Menu
      trigger={
        <Button
          aria-label={`Current X account: @${current.handle}${current.status === 'lost' ? ', not connected' : ''}`}
          aria-keyshortcuts={mayChoose && all.length > 1 ? 'Alt+X' : undefined}
          icon={current.status === 'lost' ? <CircleAlert aria-hidden className="text-warn" /> : undefined}
          className="max-w-full max-sm:w-full max-sm:justify-between"
        >
          <span className="truncate">@{current.handle}</span>
          <ChevronsUpDown aria-hidden className="text-muted" />
        </Button>
      }
    >
      {byHandle.map((account) => (
        <MenuItem
          key={account.id}
          icon={
            account.id === current.id ? (
              <Check aria-label="Current" />
            ) : (
              <span aria-hidden className="size-4 shrink-0" />
            )
          }
          disabled={!mayChoose && account.id !== current.id}
          onSelect={() => account.id !== current.id && choose.mutate({ id: account.id })}
        >
          <span className="min-w-0 flex-1 truncate">@{account.handle}</span>
          {account.status === 'lost' && <span className="text-xs text-warn">Not connected</span>}
        </MenuItem>
      ))}
      <MenuSeparator />
      <MenuLink to={paths.xAutomation} icon={<Link2 aria-hidden />}>
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
