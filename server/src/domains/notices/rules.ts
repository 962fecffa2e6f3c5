import type { NoticeFacts, NoticeKind } from '@x-automated/contract/notices'

export interface NoticeWords {
  title: string
  /** '' where the title says it all. */
  text: string
  path: string
}

/** What a notice says, and the page that it is about. */
export function wordsOf(kind: NoticeKind, facts: NoticeFacts): NoticeWords {
  const campaign = `Campaign “${facts.campaignName ?? ''}”`
  const path = facts.campaignId ? `/campaigns/${facts.campaignId}` : '/campaigns'
  switch (kind) {
    case 'x_disconnected':
      return {
        title: `@${facts.handle ?? ''} is disconnected`,
        text: `${facts.reason ?? 'X does not accept this connection any more.'} Nothing is sent from it until it is connected again.`,
        path: '/twitter',
      }
    case 'campaign_paused':
      return { title: `${campaign} paused by itself`, text: facts.reason ?? '', path }
    case 'campaign_completed':
      return { title: `${campaign} is complete`, text: resultOf(facts), path }
    case 'usage_high':
      return {
        title: `${Math.floor((100 * (facts.used ?? 0)) / (facts.limit ?? 1))} % of this month’s ${facts.limited === 'dms' ? 'DMs' : 'scraped leads'} are used`,
        text: `${number(facts.used ?? 0)} of the ${number(facts.limit ?? 0)} that your plan includes. ${facts.reason ?? ''}`.trim(),
        path: '/billing',
      }
    case 'payment_failed':
      return {
        title: `A payment for your ${facts.planName ?? ''} plan has failed`,
        text: `Your plan goes on until ${day(facts.until)}. Pay the open invoice or change your card before then.`,
        path: '/billing',
      }
    case 'trial_ending':
      return {
        title: `Your trial of ${facts.planName ?? ''} ends on ${day(facts.until)}`,
        text: 'Your card is charged then, unless you cancel before.',
        path: '/billing',
      }
    case 'plan_ended':
      return {
        title: `Your ${facts.planName ?? ''} plan has ended`,
        text: 'What is queued already is still sent. To queue more, choose a plan.',
        path: '/billing',
      }
  }
}

function number(n: number): string {
  return n.toLocaleString('en-US')
}

/** '21 November 2026' */
function day(moment: string | undefined): string {
  return new Date(moment ?? 0).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  })
}

/** '18 sent, 2 failed.' */
function resultOf({ sent = 0, failed = 0 }: NoticeFacts): string {
  return failed > 0 ? `${number(sent)} sent, ${number(failed)} failed.` : `${number(sent)} sent.`
}

/** What kinds of mail are about, for who ends them: 'no more mails when …'. */
export const KIND_WORDS: Record<NoticeKind, string> = {
  x_disconnected: 'an X account is disconnected',
  campaign_paused: 'a campaign pauses by itself',
  campaign_completed: 'a campaign is complete',
  usage_high: 'a limit of your plan is nearly used up',
  payment_failed: 'a payment fails',
  trial_ending: 'a trial ends',
  plan_ended: 'a plan ends',
}
