import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { api } from '../../../api'
import { localStorage } from '../../../browser-storage'
import { readPlace } from '../../../place-storage'
import { session, type User } from '../../../session'
import { storePlace } from '../../../stored-place'

/** Updates this browser's copy of the email address if it was changed elsewhere. */
export function useSyncedEmail({ id, email }: User): void {
  const { data } = useQuery(api.account.findUser.queryOptions())
  useEffect(() => {
    if (!data || data.id !== id || data.email === email) return
    session.updateUser({ id, email: data.email })
    const entry = readPlace(localStorage)
    if (entry?.email === email) storePlace({ ...entry, email: data.email })
  }, [data, id, email])
}
