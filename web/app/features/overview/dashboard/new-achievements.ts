import type { Dashboard } from '@x-automated/contract/waitlist/waitlist'
import { useEffect } from 'react'
import { localStorage } from '../../../browser-storage'
import { toast } from '../../../ui/toast'
import { achievementLook } from '../../waitlist/waitlist/achievements'

const keyOf = (userId: string) => `seenAchievements:${userId}`

/** Returns achievements that this browser has not announced yet, and marks them as announced. */
export function takeNewAchievements(
  storage: Pick<Storage, 'getItem' | 'setItem'>,
  userId: string,
  earned: readonly string[],
): string[] {
  const seen = storage.getItem(keyOf(userId))?.split(',') ?? []
  const fresh = earned.filter((key) => !seen.includes(key))
  if (fresh.length > 0) storage.setItem(keyOf(userId), earned.join(','))
  return fresh
}

/** Shows a toast for each new achievement, once. */
export function useAchievementToasts(userId: string, earned: Dashboard['achievements'] | undefined): void {
  useEffect(() => {
    for (const key of earned ? takeNewAchievements(localStorage, userId, earned) : [])
      toast.success(`You earned the ${achievementLook(key).name} badge!`, { id: `earned-${key}` })
  }, [userId, earned])
}
