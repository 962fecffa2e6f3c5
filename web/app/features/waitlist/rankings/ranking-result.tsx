import type { Client } from '@x-automated/contract/client'
import { formatCount, formatNumber, pluralize } from '@x-automated/contract/format'
import type { ReactNode } from 'react'
import { paths } from '../../../paths'
import { useCarriedReferral } from '../../../referral-code'
import { ButtonLink } from '../../../ui/button'
import { Card } from '../../../ui/card'
import { CopyButton } from '../../../ui/copy-button'
import { Progress } from '../../../ui/progress'
import { Table, Td, Tr } from '../../../ui/table'
import { AchievementBadges } from '../waitlist/achievement-badges'
import { achievements } from '../waitlist/achievements'
import { ReferralLink } from '../waitlist/referral-link'
import { referralLinks } from '../waitlist/referral-links'
import { ShareButtons } from '../waitlist/share-buttons'
import { nextTier } from './ranking-text'

type Ranking = Awaited<ReturnType<Client['waitlist']['position']>>['user']

/** A member's position and referral link. */
export function RankingResult({ user }: { user: Ranking }) {
  const carry = useCarriedReferral()
  const link = referralLinks.rankings(location.origin, user.referral_code)
  return (
    <div className="grid gap-6">
      <RankingTable>
        <Tr>
          <Td label="Position" data-numeric>
            <strong>#{formatNumber(user.position)}</strong>
          </Td>
          <Td label="Email" className="wrap-anywhere">
            {user.email}
          </Td>
          <Td label="Referrals" end data-numeric>
            {formatNumber(user.referralCount)}
          </Td>
          <Td label="Achievements">
            <AchievementBadges keys={user.achievements} />
          </Td>
        </Tr>
      </RankingTable>
      <NextTier referrals={user.referralCount} />
      <Card title="Your Referral Code" description="Each friend who joins with your code moves you up 5 spots.">
        <div className="grid gap-5">
          <p className="flex items-center gap-3">
            <code className="rounded-md border border-line bg-sunken px-3 py-1 font-mono text-lg">
              {user.referral_code}
            </code>
            <CopyButton text={user.referral_code} label="Copy code" />
          </p>
          <ReferralLink link={link} />
          <ShareButtons link={link} channels={['twitter', 'facebook', 'linkedin']} />
        </div>
      </Card>
      <ButtonLink to={carry(paths.leaderboard)} className="w-fit">
        View Full Leaderboard
      </ButtonLink>
    </div>
  )
}

/** The referrals still needed for the next tier, and what it earns. */
function NextTier({ referrals }: { referrals: number }) {
  const next = nextTier(referrals)
  if (!next) return <p className="text-muted">You've reached the highest tier.</p>
  const left = next.threshold - referrals
  return (
    <div className="grid max-w-xl gap-2">
      <Progress
        label={`Next: ${achievements[next.key].name}`}
        value={referrals}
        max={next.threshold}
        detail={`${formatNumber(referrals)} of ${formatNumber(next.threshold)} referrals`}
      />
      <p className="text-muted">
        {formatCount(left, 'more referral')} {pluralize(left, 'earns', 'earn')} {formatCount(next.months, 'month')} of
        Pro.
      </p>
    </div>
  )
}

/** The table of the result, with its row or a skeleton. */
export function RankingTable({ children }: { children?: ReactNode }) {
  const columns = ['Position', 'Email', { name: 'Referrals', end: true }, 'Achievements']
  return (
    <Table label="Your ranking" columns={columns} skeletonRows={1}>
      {children}
    </Table>
  )
}
