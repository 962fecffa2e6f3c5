import { Card } from '../../../ui/card'
import { Skeleton } from '../../../ui/skeleton'
import { AchievementIcon } from '../../waitlist/waitlist/achievement-badges'
import { achievementLook, inOrder } from '../../waitlist/waitlist/achievements'

/** @param keys earned achievements; undefined while loading */
export function AchievementsCard({ keys }: { keys: readonly string[] | undefined }) {
  return (
    <Card title="Achievements">
      {keys === undefined ? (
        <div className="grid gap-4">
          <Skeleton className="h-10 w-56" />
          <Skeleton className="h-10 w-48" />
        </div>
      ) : keys.length === 0 ? (
        <p className="text-muted">You haven't earned any achievements yet. Refer friends to start earning!</p>
      ) : (
        <ul className="grid gap-4">
          {inOrder(keys).map((key) => {
            const { name, how } = achievementLook(key)
            return (
              <li key={key} className="flex items-center gap-3">
                <AchievementIcon achievement={key} size="md" />
                <span className="grid min-w-0">
                  <span className="font-strong wrap-anywhere">{name}</span>
                  {how && <span className="text-muted">{how}</span>}
                </span>
              </li>
            )
          })}
        </ul>
      )}
    </Card>
  )
}
