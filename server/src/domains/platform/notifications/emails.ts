import { nameInBody, nameInSubject } from '@x-automated/contract/fields'
import { formatCount, formatNumber } from '@x-automated/contract/format'
import type { NotificationKind } from '@x-automated/contract/platform/notifications'
import type { Email } from '../../../emails/email.ts'
import { KIND_TOPICS, type NotificationText } from './rules.ts'

const ACTIONS: Record<NotificationKind, string> = {
  x_disconnected: 'Reconnect X account',
  campaign_paused: 'View campaign',
  campaign_completed: 'View results',
  test_decided: 'View results',
  lead_replied: 'Open conversation',
  detection_failing: 'View X account',
  x_app_problem: 'View X app',
  usage_high: 'View plan',
  payment_failed: 'Update payment',
  trial_ending: 'View plan',
  plan_ended: 'Choose a plan',
  funds: 'View X costs',
  spending: 'View X costs',
  api_key_created: 'View API keys',
  api_key_suspended: 'View API keys',
}

/**
 * The email for a day's replies in a workspace. @param count the number of all replies; `texts` are
 * the first ones
 */
export function digestEmail(
  to: Parameters<typeof notificationEmail>[0],
  texts: readonly NotificationText[],
  count: number,
): Email {
  const more = count - texts.length
  return {
    to: to.email,
    subject: `${formatCount(count, 'new reply', 'new replies')} in ${nameInSubject(to.workspace, 'your workspace')}`,
    lines: [
      ...texts.map(({ title, text }) => nameInBody(`${title}. ${text}`.trim())),
      ...(more > 0 ? [`And ${formatNumber(more)} more.`] : []),
    ],
    action: { label: 'Open inbox', link: `${to.origin}/inbox` },
    closing: `You're receiving this because a daily email is on for ${KIND_TOPICS.lead_replied} in the workspace ${nameInBody(to.workspace)}. You can change this in Settings → Notifications.`,
    unsubscribeLink: to.unsubscribeLink,
  }
}

/** The email for one notification to one member. */
export function notificationEmail(
  to: { email: string; workspace: string; origin: string; unsubscribeLink: string },
  kind: NotificationKind,
  { title, text, path }: NotificationText,
): Email {
  return {
    to: to.email,
    subject: title,
    lines: text ? [nameInBody(text)] : [],
    action: { label: ACTIONS[kind], link: `${to.origin}${path}` },
    closing: `You're receiving this because email notifications are on for ${KIND_TOPICS[kind]} in the workspace ${nameInBody(to.workspace)}. You can change this in Settings → Notifications.`,
    unsubscribeLink: to.unsubscribeLink,
  }
}
