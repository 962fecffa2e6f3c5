import { useQuery } from '@tanstack/react-query'
import { formatCount, formatDate, formatNumber, formatRate } from '@x-automated/contract/format'
import { isWaiting } from '@x-automated/contract/outreach/conversations'
import type { Need, NeedCode, Today as TodayData } from '@x-automated/contract/overview/today'
import type { Role } from '@x-automated/contract/route'
import {
  CircleAlert,
  CirclePause,
  Coins,
  CreditCard,
  Gauge,
  KeyRound,
  type LucideIcon,
  MessageSquareText,
  Pause,
  Radio,
  Sparkles,
  Unplug,
} from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { generatePath, Link } from 'react-router'
import { api, client } from '../../../api'
import { paths } from '../../../paths'
import { Avatar } from '../../../ui/avatar'
import { StatusBadge } from '../../../ui/badge'
import { Button, ButtonLink, IconButton } from '../../../ui/button'
import { cn } from '../../../ui/cn'
import { Kbd } from '../../../ui/kbd'
import { Ring } from '../../../ui/ring'
import { Sparkline } from '../../../ui/sparkline'
import { toast } from '../../../ui/toast'
import { useSecondsUntil } from '../../../ui/use-seconds-until'
import { useAction } from '../../../use-action'
import { useIsOffered } from '../../identity/people/use-role'
import { startCampaignPath } from '../../leads/lists/start-campaign'
import { waitText, warmUpText } from '../../outreach/sending-settings/limits-text'
import { waitsForCredits } from '../../platform/x-costs/x-costs-text'
import { needKey, needText } from './need-text'
import { dueText, nextSendText } from './next-send'
import { chartTop, headline, shareText, totals, waitingText, waitOfAll } from './today-text'

/** How many needs are initially visible. */
const NEEDS_MAX = 3

/** Who is waiting, what is being sent, and what needs attention. */
export default function Today({ today }: { today: TodayData }) {
  const isMember = useIsOffered('member')
  const mayAnswer = isMember && today.repliesWaiting > 0
  const wait = waitsForCredits(today) ? null : waitOfAll(today)
  return (
    <div className="grid grid-cols-1 gap-8">
      <div className="flex flex-wrap items-end justify-between gap-x-6 gap-y-4">
        <div className="grid min-w-0 gap-1">
          <h2 className="text-2xl tracking-tight text-balance sm:text-[1.75rem]/9">{headline(today, isMember)}</h2>
          <p className="text-muted">{sentence(today)}</p>
          {wait && <p className="text-muted">{waitText(wait, new Date())}</p>}
        </div>
        {mayAnswer ? (
          <ButtonLink to={paths.inbox} variant="primary" className="min-h-10 max-sm:w-full">
            Answer replies <Kbd>G I</Kbd>
          </ButtonLink>
        ) : (
          isMember && (
            <ButtonLink to={startCampaignPath()} className="min-h-10 max-sm:w-full">
              New campaign
            </ButtonLink>
          )
        )}
      </div>
      <Strip today={today} isMember={isMember} />
      <div
        className={cn(
          'grid grid-cols-1 gap-x-12 gap-y-8',
          today.needs.length > 0 && 'lg:grid-cols-[minmax(0,1fr)_21rem]',
        )}
      >
        <Fortnight today={today} />
        {today.needs.length > 0 && <Needs needs={today.needs} />}
      </div>
      {today.campaigns.length > 0 && <CampaignRows campaigns={today.campaigns} isMember={isMember} />}
    </div>
  )
}

function sentence({ sentToday, days }: TodayData): string {
  const { replied, positive } = totals({ days })
  const sent = `${formatCount(sentToday, 'message')} sent today.`
  if (replied === 0) return sent
  return `${sent} ${formatNumber(replied)} replied in the last 14 days, ${formatNumber(positive)} with interest.`
}

function Strip({ today, isMember }: { today: TodayData; isMember: boolean }) {
  const { repliesWaiting, countedInDay, capNow, warmUp, nextSendAt, days } = today
  const { sent, positive } = totals({ days })
  return (
    <section aria-label="Today" className="grid grid-cols-2 border-y border-line lg:grid-cols-4">
      <Cell
        label="Replies waiting"
        note={repliesWaiting > 0 ? 'Waiting for your answer' : 'Nobody is waiting'}
        to={isMember ? paths.inbox : undefined}
        aside={isMember && repliesWaiting > 0 && <Waiting />}
      >
        {waitingText(repliesWaiting)}
      </Cell>
      <Cell
        label="Used of the daily cap"
        note={warmUp ? warmUpText(warmUp) : 'In the last 24 hours'}
        aside={<Ring share={capNow > 0 ? countedInDay / capNow : 0} className="size-10 max-[24rem]:hidden" />}
      >
        {formatNumber(countedInDay)}{' '}
        <small className="text-sm font-normal tracking-normal text-muted">of {formatNumber(capNow)}</small>
      </Cell>
      {nextSendAt && !waitsForCredits(today) ? (
        <NextCell at={new Date(nextSendAt)} />
      ) : (
        <Cell label="Next message" note={nextSendAt ? 'Waiting for X credits' : 'Nothing is scheduled'}>
          –
        </Cell>
      )}
      <Cell label="Positive replies, 14 days" note={shareText(positive, sent)}>
        {formatNumber(positive)}
      </Cell>
    </section>
  )
}

const FACES = 4

/** The faces of people who are waiting. */
function Waiting() {
  const { data } = useQuery(api.conversations.list.queryOptions({ input: { status: 'open', pageSize: 3 * FACES } }))
  const waiting = data?.conversations.filter(isWaiting).slice(0, FACES)
  return (
    <span className="flex -space-x-2 max-sm:hidden">
      {waiting?.map(({ id, lead }) => (
        <span key={id} className="rounded-full ring-2 ring-canvas">
          <Avatar name={lead.name || lead.twitterHandle} src={lead.pictureUrl} size="sm" />
        </span>
      ))}
    </span>
  )
}

function NextCell({ at }: { at: Date }) {
  const seconds = useSecondsUntil(at.getTime())
  return (
    <Cell label="Next message" note={seconds <= 0 ? 'Being sent' : dueText(at, seconds)}>
      {nextSendText(at, seconds)}
    </Cell>
  )
}

interface CellProps {
  label: string
  note: string
  aside?: ReactNode
  to?: string | undefined
  children: ReactNode
}

function Cell({ label, note, aside, to, children }: CellProps) {
  const content = (
    <>
      <span className="text-xs text-muted">{label}</span>
      <span className="flex min-h-10 items-center justify-between gap-3">
        <span className="text-3xl font-strong whitespace-nowrap max-sm:text-2xl" data-numeric>
          {children}
        </span>
        {aside}
      </span>
      <span className="text-xs text-pretty text-muted" data-numeric>
        {note}
      </span>
    </>
  )
  const look =
    'grid min-w-0 content-start gap-1 border-hair px-5 py-5 max-lg:odd:ps-0 max-lg:even:border-s max-lg:even:pe-0 max-lg:nth-[n+3]:border-t max-sm:px-4 max-sm:py-4 lg:not-first:border-s lg:first:ps-0 lg:last:pe-0'
  return to ? (
    <Link to={to} className={cn(look, 'transition-colors hover:text-accent-word')}>
      {content}
    </Link>
  ) : (
    <div className={look}>{content}</div>
  )
}

const dayOf = (day: string, options: Intl.DateTimeFormatOptions) => formatDate(day, { ...options, timeZone: 'UTC' })

function Fortnight({ today }: { today: TodayData }) {
  const { days, capNow } = today
  const { sent, positive } = totals({ days })
  const top = chartTop(today)
  const share = (count: number) => `${(count / top) * 100}%`
  return (
    <section className="grid content-start gap-3">
      <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1">
        <h2 className="text-sm">Last 14 days</h2>
        <p className="flex gap-4 text-xs text-muted" data-numeric>
          <span className="flex items-center gap-1.5">
            <i aria-hidden className="size-2 rounded-sm bg-control" />
            Sent <b className="font-strong text-ink">{formatNumber(sent)}</b>
          </span>
          <span className="flex items-center gap-1.5">
            <i aria-hidden className="size-2 rounded-sm bg-accent-pressed" />
            Positive replies <b className="font-strong text-ink">{formatNumber(positive)}</b>
          </span>
        </p>
      </div>
      <div
        role="img"
        aria-label={`Messages of the last 14 days: ${formatNumber(sent)} sent, ${formatNumber(positive)} positive replies`}
        className="grid h-32 grid-cols-14 items-end gap-1.5 border-b border-line sm:h-42 sm:gap-3"
      >
        {days.map(({ day, sent: count, positive: good }, index) => {
          const isToday = index === days.length - 1
          return (
            <div
              key={day}
              className="relative flex h-full flex-col justify-end"
              title={`${dayOf(day, { weekday: 'short', month: 'short', day: 'numeric' })}: ${formatNumber(count)} sent, ${formatNumber(good)} positive`}
            >
              {isToday && capNow > count && (
                <div
                  className="rounded-t-sm border border-b-0 border-dashed border-control"
                  style={{ height: share(Math.min(capNow, top) - count) }}
                />
              )}
              <div
                className={cn(
                  'relative overflow-hidden',
                  isToday ? 'bg-line-strong' : 'bg-control',
                  !(isToday && capNow > count) && 'rounded-t-sm',
                )}
                style={{ height: count > 0 ? share(count) : '2px' }}
              >
                <div
                  className="absolute inset-x-0 bottom-0 bg-accent-pressed"
                  style={{ height: `${count > 0 ? Math.min(1, good / count) * 100 : 0}%` }}
                />
              </div>
            </div>
          )
        })}
      </div>
      <div aria-hidden className="grid grid-cols-14 gap-1.5 text-center text-2xs text-muted sm:gap-3" data-numeric>
        {days.map(({ day }, index) => (
          <span key={day} className={cn(index === days.length - 1 && 'font-strong text-ink')}>
            {dayOf(day, { day: 'numeric' })}
          </span>
        ))}
      </div>
      <table className="sr-only">
        <caption>Last 14 days</caption>
        <thead>
          <tr>
            <th scope="col">Day</th>
            <th scope="col">Sent</th>
            <th scope="col">Positive replies</th>
          </tr>
        </thead>
        <tbody>
          {days.map(({ day, sent: count, positive: good }) => (
            <tr key={day}>
              <th scope="row">{dayOf(day, { dateStyle: 'medium' })}</th>
              <td>{formatNumber(count)}</td>
              <td>{formatNumber(good)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

const NEED_ICONS: Record<NeedCode, LucideIcon> = {
  funds: Coins,
  spending: Coins,
  x_disconnected: Unplug,
  consent_missing: MessageSquareText,
  campaign_paused: CirclePause,
  detection_degraded: Radio,
  openers_waiting: Sparkles,
  usage_high: Gauge,
  key_suspended: KeyRound,
  payment_failed: CreditCard,
  plan_ended: CircleAlert,
}

function Needs({ needs }: { needs: readonly Need[] }) {
  const [isWhole, setWhole] = useState(false)
  const isOffered: Record<Role, boolean> = {
    viewer: true,
    member: useIsOffered('member'),
    admin: useIsOffered('admin'),
    owner: useIsOffered('owner'),
  }
  return (
    <section className="grid content-start gap-1">
      <h2 className="text-sm">Needs your attention</h2>
      <ul>
        {needs.slice(0, isWhole ? needs.length : NEEDS_MAX).map((need) => {
          const { title, text, action, role } = needText(need)
          const Icon = NEED_ICONS[need.code]
          return (
            <li key={needKey(need)} className="flex items-start gap-3 border-hair py-3 not-first:border-t">
              <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-warn" />
              <div className="grid min-w-0 flex-1 gap-0.5">
                <p className="text-ui font-strong wrap-anywhere">{title}</p>
                <p className="line-clamp-3 text-xs text-muted">{text}</p>
              </div>
              {isOffered[role] && (
                <ButtonLink to={need.path} size="sm" aria-label={`${action}: ${title}`}>
                  {action}
                </ButtonLink>
              )}
            </li>
          )
        })}
      </ul>
      {needs.length > NEEDS_MAX && (
        <Button size="sm" variant="ghost" className="w-fit" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show less' : `Show all ${formatNumber(needs.length)}`}
        </Button>
      )}
    </section>
  )
}

function CampaignRows({ campaigns, isMember }: { campaigns: TodayData['campaigns']; isMember: boolean }) {
  return (
    <section className="grid gap-1">
      <h2 className="text-sm">Campaigns</h2>
      <ul>
        {campaigns.map(
          ({ id, name, status, peopleMessaged, totalLeadsInList, peopleSkipped, positiveRate, sentByDay }) => {
            const people = Math.max(totalLeadsInList - peopleSkipped, peopleMessaged)
            return (
              <li key={id} className="flex items-center gap-2 border-t border-hair first:border-t-0">
                <Link
                  to={generatePath(paths.campaign, { campaignId: id })}
                  className="-ms-3 grid min-w-0 flex-1 grid-cols-[minmax(0,1fr)_auto] items-center gap-x-6 gap-y-2 rounded-md px-3 py-3 transition-colors hover:bg-hover sm:grid-cols-[minmax(0,1fr)_14rem_6rem] lg:grid-cols-[minmax(0,1fr)_14rem_6rem_4rem]"
                >
                  <span className="line-clamp-2 text-ui font-strong wrap-anywhere">{name}</span>
                  <span className="grid gap-1.5 max-sm:order-last max-sm:col-span-2">
                    <span className="flex items-center justify-between gap-3 text-xs text-muted" data-numeric>
                      <StatusBadge status={status} />
                      {formatNumber(peopleMessaged)} of {formatNumber(people)}
                    </span>
                    <span aria-hidden className="h-1 overflow-hidden rounded-full bg-pressed">
                      <span
                        className="block h-full bg-ink"
                        style={{ width: `${people > 0 ? (peopleMessaged / people) * 100 : 0}%` }}
                      />
                    </span>
                  </span>
                  <span className="text-end text-ui" data-numeric>
                    <span className="font-strong">{positiveRate === null ? '–' : formatRate(positiveRate / 100)}</span>{' '}
                    <span className="text-xs text-muted">positive</span>
                  </span>
                  <span className="max-lg:hidden">
                    <Sparkline counts={sentByDay} noun="message" />
                  </span>
                </Link>
                {isMember && (
                  <span className="w-8 shrink-0">{status === 'active' && <PauseButton id={id} name={name} />}</span>
                )}
              </li>
            )
          },
        )}
      </ul>
    </section>
  )
}

function PauseButton({ id, name }: { id: string; name: string }) {
  const refetches = [api.today, api.campaigns]
  const resume = useAction(() => client.campaigns.update({ id, status: 'active' }), {
    done: 'Campaign resumed and set to active.',
    refetches,
  })
  const pause = useAction(() => client.campaigns.update({ id, status: 'paused' }), {
    onSuccess: () => toast.success('Campaign paused.', { action: { label: 'Undo', onClick: () => void resume.run() } }),
    refetches,
  })
  return (
    <IconButton
      size="sm"
      icon={<Pause />}
      label={`Pause ${name}`}
      title="Pause"
      loading={pause.isPending}
      onClick={() => pause.run()}
    />
  )
}
