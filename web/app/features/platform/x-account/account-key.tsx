import type { XAccount } from '@x-automated/contract/platform/x-account'
import { useEffect, useEffectEvent } from 'react'
import { useChooseAccount } from './choose-account'

/** Alt+X switches to the next X account by name. @param accounts the current one first */
export default function AccountKey({ accounts }: { accounts: readonly XAccount[] }) {
  const choose = useChooseAccount()
  const byHandle = [...accounts].sort((a, b) => a.handle.localeCompare(b.handle))
  const next = useEffectEvent((event: KeyboardEvent) => {
    if (!isSwitchKey(event) || choose.isPending) return
    const following = byHandle[(byHandle.findIndex(({ id }) => id === accounts[0]?.id) + 1) % byHandle.length]
    if (!following) return
    event.preventDefault()
    choose.run(following.id)
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => next(event)
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
  return null
}

/** Fields in which Alt+X types a character ('≈' on a Mac). */
const TEXT_FIELDS = 'input, textarea, select, [contenteditable]:not([contenteditable="false"])'

type KeyPress = Pick<KeyboardEvent, 'code' | 'altKey' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'target'>

/** Whether this is Alt+X outside of a text field. */
export function isSwitchKey({ code, altKey, ctrlKey, metaKey, shiftKey, target }: KeyPress): boolean {
  if (code !== 'KeyX' || !altKey || ctrlKey || metaKey || shiftKey) return false
  const element = target as Partial<Pick<Element, 'closest'>> | null
  return !element?.closest?.(TEXT_FIELDS)
}
