import { safeName } from '@x-automated/contract/fields'
import type { NotificationKind } from '@x-automated/contract/platform/notifications'
import type { Email } from '../../../emails/email.ts'
import { KIND_TOPICS, type NotificationText } from './rules.ts'

const ACTIONS: Record<NotificationKind, string> = {
  x_disconnected: 'Reconnect X account',
  campaign_paused: 'View campaign',
  campaign_completed: 'View results',
  test_decided: 'View results',
  usage_high: 'View plan',
  payment_failed: 'Update payment',
  trial_ending: 'View plan',
  plan_ended: 'Choose a plan',
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
    lines: text ? [safeName(text)] : [],
    action: { label: ACTIONS[kind], link: `${to.origin}${path}` },
    closing: `You're receiving this because email notifications are on for ${KIND_TOPICS[kind]} in the workspace ${safeName(to.workspace)}. You can change this in Settings → Notifications.`,
    unsubscribeLink: to.unsubscribeLink,
  }
}
