import { paths } from '../../../paths'
import { useCarriedReferral } from '../../../referral-code'
import { ButtonLink } from '../../../ui/button'
import { AchievementIcon } from '../waitlist/achievement-badges'
import { specialRewards, tierRewards } from './rewards'

/** Rewards for referrals. */
export function ReferralRewards() {
  const carry = useCarriedReferral()
  return (
    <section aria-labelledby="rewards" className="border-t border-line">
      <div className="page-width grid gap-8 py-16 md:py-24">
        <div className="flex flex-wrap items-end justify-between gap-6">
          <div className="grid gap-3">
            <h2 id="rewards" className="text-3xl">
              Bring friends, get rewarded
            </h2>
            <p className="max-w-lg text-lg text-muted">
              Every friend who joins with your link moves you up 5 spots on the waitlist and closer to the next tier.
            </p>
          </div>
          <ButtonLink to={carry(paths.waitlist)}>Get your referral link</ButtonLink>
        </div>
        <ol aria-label="Referral tiers" className="grid gap-3 sm:grid-cols-2 md:gap-4 lg:grid-cols-4">
          {tierRewards.map(({ key, name, how, reward }) => (
            <li key={key} className="grid content-start gap-4 rounded-lg border border-line bg-surface p-5">
              <div className="flex items-center gap-3">
                <AchievementIcon achievement={key} size="md" />
                <h3 className="text-base">{name}</h3>
              </div>
              <p className="grid gap-1">
                <span className="text-xl font-strong" data-numeric>
                  {how}
                </span>
                <span className="text-base text-muted">{reward}</span>
              </p>
            </li>
          ))}
        </ol>
        <ul aria-label="More rewards" className="grid gap-x-4 gap-y-5 md:grid-cols-3">
          {specialRewards.map(({ key, name, how, reward, from }) => (
            <li key={key} className="flex items-center gap-3 px-5 max-md:px-0">
              <AchievementIcon achievement={key} size="md" />
              <p className="grid">
                <span className="font-strong">{name}</span>
                <span className="text-muted">{how}</span>
                <span className="text-muted">{reward}</span>
                {from && <span className="text-muted">{from}</span>}
              </p>
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}
