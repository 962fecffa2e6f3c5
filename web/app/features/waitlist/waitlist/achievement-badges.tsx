import { cn } from '../../../ui/cn'
import { achievementLook, achievements, inOrder } from './achievements'

/** Icons of earned achievements, with accessible names. '-' if there are none. */
export function AchievementBadges({ keys }: { keys: readonly string[] }) {
  if (keys.length === 0) return '-'
  return (
    <ul className="flex gap-1.5">
      {inOrder(keys).map((key) => {
        const { name } = achievementLook(key)
        const isKnown = Object.hasOwn(achievements, key)
        return (
          <li key={key} title={name} className="flex items-center gap-1.5">
            <AchievementIcon achievement={key} />
            <span className={isKnown ? 'sr-only' : undefined}>{name}</span>
          </li>
        )
      })}
    </ul>
  )
}

/** An achievement's icon. Decorative: show its name next to it. */
export function AchievementIcon({ achievement, size = 'sm' }: { achievement: string; size?: 'sm' | 'md' }) {
  const { icon: Icon, color } = achievementLook(achievement)
  return (
    <span
      aria-hidden
      className={cn(
        'flex shrink-0 items-center justify-center rounded-full border border-line bg-sunken',
        size === 'sm' ? 'size-7 [&>svg]:size-4' : 'size-10 [&>svg]:size-5',
        color,
      )}
    >
      <Icon />
    </span>
  )
}
