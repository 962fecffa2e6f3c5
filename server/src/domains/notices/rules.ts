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
  }
}

/** '18 sent, 2 failed.' */
function resultOf({ sent = 0, failed = 0 }: NoticeFacts): string {
  const number = (n: number) => n.toLocaleString('en-US')
  return failed > 0 ? `${number(sent)} sent, ${number(failed)} failed.` : `${number(sent)} sent.`
}

/** What kinds of mail are about, for who ends them: 'no more mails when …'. */
export const KIND_WORDS: Record<NoticeKind, string> = {
  x_disconnected: 'an X account is disconnected',
  campaign_paused: 'a campaign pauses by itself',
  campaign_completed: 'a campaign is complete',
}
