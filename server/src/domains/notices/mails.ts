import { safeName } from '@x-automated/contract/fields'
import type { NoticeKind } from '@x-automated/contract/notices'
import { renderEmail } from '../../jobs/mail.ts'
import type { Email } from '../../outside/mail.ts'
import { KIND_WORDS, type NoticeWords } from './rules.ts'

const ACTIONS: Record<NoticeKind, string> = {
  x_disconnected: 'Connect it again',
  campaign_paused: 'See the campaign',
  campaign_completed: 'See how it went',
  usage_high: 'See your plan',
  payment_failed: 'Pay or change your card',
  trial_ending: 'See your plan',
  plan_ended: 'Choose a plan',
}

/** Mails a notice to one member of its workspace. */
export function noticeMail(
  to: { email: string; workspace: string; origin: string; unsubscribeLink: string },
  kind: NoticeKind,
  { title, text, path }: NoticeWords,
): Email {
  return renderEmail(to.email, {
    subject: title,
    lines: text ? [safeName(text)] : [],
    action: { label: ACTIONS[kind], link: `${to.origin}${path}` },
    closing: `You get this mail because you want to know when ${KIND_WORDS[kind]} in the workspace ${safeName(to.workspace)}. Change it in the settings, under Notices.`,
    unsubscribeLink: to.unsubscribeLink,
  })
}
