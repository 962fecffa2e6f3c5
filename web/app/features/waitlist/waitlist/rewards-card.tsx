import { useQuery } from '@tanstack/react-query'
import type { Rewards } from '@x-automated/contract/platform/billing'
import type { PlanLevel } from '@x-automated/contract/platform/plans'
import { CalendarCheck, Headset } from 'lucide-react'
import type { ReactNode } from 'react'
import { api } from '../../../api'
import { QueryError } from '../../../query-error'
import { Badge } from '../../../ui/badge'
import { buttonClass } from '../../../ui/button'
import { Card } from '../../../ui/card'
import { DateTime } from '../../../ui/date-time'
import { useHasRole } from '../../identity/people/use-role'
import { achievementLook, inOrder } from './achievements'
import { HELD_TEXT, RewardStart } from './reward-start'
import { rewardText } from './reward-text'

/** What the workspace's owner has earned in addition to months of Pro. Empty if there is nothing. */
export function RewardsCard({ plan }: { plan: PlanLevel }) {
  const query = useQuery(api.billing.rewards.queryOptions())
  const isOwner = useHasRole('owner')
  if (query.isError)
    return (
      <Card title="Rewards">
        <QueryError query={query} title="Rewards are unavailable" />
      </Card>
    )
  if (!query.data || isOwner === undefined) return null
  const { rewards, hasEarlyAccess, early } = query.data
  const visible = inOrder(rewards.map(({ achievement }) => achievement)).flatMap((key) => {
    const [reward, text] = [rewards.find(({ achievement }) => achievement === key), rewardText(key, plan)]
    return reward && text ? [{ ...reward, text }] : []
  })
  if (visible.length === 0 && !hasEarlyAccess) return null
  return (
    <Card
      title={isOwner ? 'Your rewards' : 'Rewards of this workspace'}
      description={
        isOwner
          ? 'Earned on the waitlist. They apply in every workspace that you own.'
          : 'Earned by the owner on the waitlist.'
      }
    >
      <ul className="grid gap-5">
        {visible.map((reward) => (
          <RewardRow key={reward.achievement} reward={reward} />
        ))}
        {hasEarlyAccess && <EarlyRow early={early} />}
      </ul>
      {isOwner && visible.some(({ status }) => status === 'held') && <p className="mt-5 text-muted">{HELD_TEXT}</p>}
    </Card>
  )
}

function RewardRow({ reward }: { reward: Rewards['rewards'][number] & { text: string } }) {
  const { achievement, earnedAt, status, url, text } = reward
  const { name, icon: Icon, color } = achievementLook(achievement)
  return (
    <li className="grid gap-1">
      <div className="flex flex-wrap items-center gap-x-2">
        <Icon aria-hidden className={`size-4 ${color}`} />
        <span className="font-strong">{name}</span>
        {status === 'held' ? (
          <RewardStart reward={reward} />
        ) : (
          <DateTime value={earnedAt} precision="day" className="ms-auto text-muted" />
        )}
      </div>
      <p>{text}</p>
      {url && (
        <p className="mt-2">
          {achievement === 'silver' ? (
            <OpenReward url={url} icon={<CalendarCheck aria-hidden />}>
              Book your strategy call
            </OpenReward>
          ) : (
            <OpenReward url={url} icon={<Headset aria-hidden />}>
              Priority support
            </OpenReward>
          )}
        </p>
      )}
    </li>
  )
}

function OpenReward({ url, icon, children }: { url: string; icon: ReactNode; children: ReactNode }) {
  const page = url.startsWith('mailto:') ? {} : { target: '_blank', rel: 'noopener' }
  return (
    <a href={url} {...page} className={buttonClass({})}>
      {icon}
      {children}
    </a>
  )
}

function EarlyRow({ early }: { early: Rewards['early'] }) {
  return (
    <li className="grid gap-1">
      <p className="flex flex-wrap items-center gap-x-2">
        <span className="font-strong">Priority access</span>
        <Badge>Early</Badge>
      </p>
      <p>
        New features marked Early open here one release before everyone else.
        {early.length === 0 && ' The first ones come with the next release.'}
      </p>
      {early.length > 0 && (
        <ul className="list-inside list-disc">
          {early.map(({ key, name }) => (
            <li key={key}>{name}</li>
          ))}
        </ul>
      )}
    </li>
  )
}
