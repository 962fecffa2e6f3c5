import { AchievementIcon } from './achievement-badges'
import { achievements } from './achievements'

/** Explains the achievement icons. */
export function AchievementLegend() {
  return (
    <section aria-labelledby="achievements" className="grid gap-4">
      <h2 id="achievements" className="text-base">
        Achievements
      </h2>
      <dl className="grid grid-cols-[repeat(auto-fill,minmax(min(14rem,100%),1fr))] gap-x-6 gap-y-4">
        {Object.entries(achievements).map(([key, { name, how }]) => (
          <div key={key} className="grid grid-cols-[auto_1fr] items-center gap-x-3">
            <dt className="col-start-2 font-strong">{name}</dt>
            <dd className="col-start-2 text-muted">{how}</dd>
            <dd className="col-start-1 row-span-2 row-start-1">
              <AchievementIcon achievement={key} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
