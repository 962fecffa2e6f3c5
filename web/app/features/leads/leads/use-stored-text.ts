import { useState } from 'react'
import { localStorage } from '../../../browser-storage'
import { useSession } from '../../../session'
import { readTyped, typedKey, writeTyped } from '../../../typed-text'

/** A text stored in this browser for the signed-in user. Setting null removes it. */
export function useStoredText(name: string): [string | null, (value: string | null) => void] {
  const state = useSession()
  const key = `${name}:${state.status === 'signed-in' ? state.user.id : ''}`
  const [stored, setStored] = useState<{ key: string; value: string | null }>()
  const value = stored?.key === key ? stored.value : localStorage.getItem(key)
  const keep = (next: string | null) => {
    if (next === null) localStorage.removeItem(key)
    else localStorage.setItem(key, next)
    setStored({ key, value: next })
  }
  return [value, keep]
}

/** The last message that the user wrote in some place, until they sign out. Setting null removes it. */
export function useLastMessage(name: string): [string | null, (message: string | null) => void] {
  useSession()
  const key = typedKey(name)
  const [stored, setStored] = useState<{ key: string | null; message: string | null }>()
  const message = stored?.key === key ? stored.message : key && readTyped<string>(localStorage, key)
  const keep = (next: string | null) => {
    if (key) writeTyped(localStorage, key, next)
    setStored({ key, message: next })
  }
  return [message, keep]
}
