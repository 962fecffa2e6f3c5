import { formatNumber } from '@x-automated/contract/format'
import type { Dashboard } from '@x-automated/contract/waitlist/waitlist'
import { Code } from 'lucide-react'
import { Button } from '../../../ui/button'
import { Card } from '../../../ui/card'
import { Progress } from '../../../ui/progress'
import { Skeleton, SkeletonButton, SkeletonLine } from '../../../ui/skeleton'
import { useDialogOnDemand } from '../../../ui/use-dialog-on-demand'
import { ReferralLink } from '../../waitlist/waitlist/referral-link'
import { referralLinks } from '../../waitlist/waitlist/referral-links'
import { ShareButtons } from '../../waitlist/waitlist/share-buttons'
import { NameReferrer } from './name-referrer'

/** The number of referrals for the last tier. The bar is full there. */
const LAST_TIER = 50

const tiers = [
  ['Bronze', 3],
  ['Silver', 10],
  ['Gold', 25],
  ['Platinum', LAST_TIER],
] as const

/** The user's referral link, its results and the next reward. */
export function ReferralProgram({ dashboard, failed }: { dashboard: Dashboard | undefined; failed: boolean }) {
  const link = dashboard && referralLinks.dashboard(location.origin, dashboard.referralCode)
  const figures = { count: dashboard?.referralCount ?? 0, remaining: dashboard?.nextReward.remaining ?? 0 }
  return (
    <Card id="refer" title="Referral Program" description="Earn up to 12 months of Pro by inviting friends.">
      <div className="grid gap-6">
        {link ? (
          <div className="grid gap-3">
            <ReferralLink link={link} />
            <ShareButtons link={link} channels={['twitter', 'facebook', 'linkedin', 'whatsapp', 'email']} />
            <EmbedOnYourSite referralCode={dashboard.referralCode} />
          </div>
        ) : (
          <div className="grid gap-3">
            {failed ? (
              <p className="text-muted">Your referral link isn't available right now.</p>
            ) : (
              <>
                <div className="grid gap-1.5">
                  <p role="status" className="animate-appear text-muted">
                    Loading your referral information...
                  </p>
                  <Skeleton className="h-9 pointer-coarse:h-11" />
                </div>
                <SkeletonButton size="sm" className="w-96 max-sm:h-18 max-sm:w-full max-sm:pointer-coarse:h-22" />
                <SkeletonButton size="sm" className="w-44" />
              </>
            )}
          </div>
        )}
        <dl className="grid grid-cols-2 gap-4">
          {[['Friends referred', figures.count] as const, ['To next reward', figures.remaining] as const].map(
            ([label, value]) => (
              <div key={label}>
                <dt className="text-muted">{label}</dt>
                <dd className="text-xl font-strong" data-numeric>
                  {dashboard || failed ? formatNumber(value) : <Skeleton className="my-1 h-5 w-12" />}
                </dd>
              </div>
            ),
          )}
        </dl>
        <div className="grid gap-2">
          <Progress
            label="Progress"
            value={dashboard?.progressPercent ?? 0}
            detail={`${formatNumber(figures.count)}/${LAST_TIER}`}
          />
          <ol aria-label="Tiers" className="grid grid-cols-4 text-end text-xs text-muted">
            {tiers.map(([name, threshold]) => (
              <li key={name} className="grid" data-numeric>
                <span>{name}</span>
                <span>{threshold}</span>
              </li>
            ))}
          </ol>
        </div>
        {dashboard ? !dashboard.isReferred && <NameReferrer /> : !failed && <ReferrerSkeleton />}
      </div>
    </Card>
  )
}

/** Same size as NameReferrer, which most users see here. */
function ReferrerSkeleton() {
  return (
    <div className="grid gap-2">
      <SkeletonLine className="w-44" />
      <SkeletonButton className="w-full" />
    </div>
  )
}

const loadDialog = () => import('../../waitlist/waitlist/embed-dialog')

/** Opens the embed dialog. */
function EmbedOnYourSite({ referralCode }: { referralCode: string }) {
  const dialog = useDialogOnDemand(loadDialog, 'The dialog')
  return (
    <>
      <Button size="sm" icon={<Code aria-hidden />} className="w-fit" {...dialog.button}>
        Embed on your site
      </Button>
      {dialog.render({ referralCode })}
    </>
  )
}
