import { formatCount, formatList, pluralize } from '@x-automated/contract/format'
import {
  ACHIEVEMENTS,
  type Achievement,
  confirmationsNeeded,
  REWARD_HOURS,
} from '@x-automated/contract/waitlist/waitlist'
import type { Email } from '../../../emails/email.ts'
import { nextReward, rewardMonths } from './rules.ts'

/** The member's data that every waitlist email uses. */
export interface Addressee {
  email: string
  referralCode: string
  position: number
  /** The product's origin. */
  origin: string
  unsubscribeLink: string
}

const shareLink = ({ origin, referralCode }: Addressee) => `${origin}/waitlist?ref=${referralCode}`
const CLOSING = "You're receiving this because you joined the waitlist."

/** Sends a new member their position and asks them to confirm their address. */
export function joinedEmail(to: Addressee, confirmLink: string, confirmRequired: boolean): Email {
  return {
    to: to.email,
    subject: "You're on the waitlist",
    lines: [
      `Your position: #${to.position}. Move up 5 spots per referral. Share your link: ${shareLink(to)}`,
      confirmRequired
        ? 'Confirm your email address, so that your friend gets credit for inviting you.'
        : "Confirm your email address, so that we can reach you when it's your turn. If a friend invited you, this also counts toward their rewards.",
    ],
    action: { label: 'Confirm email address', link: confirmLink },
    closing: `${CLOSING} Didn't join? You can ignore this email.`,
    unsubscribeLink: to.unsubscribeLink,
  }
}

/** @param referralCount credited referrals so far */
export function movedUpEmail(to: Addressee, referralCount: number): Email {
  const { label, remaining } = nextReward(referralCount)
  const friends = `${formatCount(referralCount, 'friend has', 'friends have')} joined with your link.`
  return {
    to: to.email,
    subject: to.position > 0 ? `You moved up: you're #${to.position} now` : 'A friend joined with your link',
    lines: [friends, ...(remaining > 0 ? [`${remaining} more and you'll be a ${label}.`] : [])],
    action: { label: 'See your ranking', link: `${to.origin}/rankings` },
    closing: `Your referral link: ${shareLink(to)} ${CLOSING}`,
    unsubscribeLink: to.unsubscribeLink,
  }
}

export function achievementsEmail(to: Addressee, earned: readonly Achievement[], referralCount: number): Email {
  const names = formatList(earned.map((achievement) => ACHIEVEMENTS[achievement]))
  const needed = Math.max(
    ...earned.map((achievement) => (rewardMonths(achievement) > 0 ? confirmationsNeeded(achievement) : 0)),
  )
  const months = earned.reduce((sum, achievement) => sum + rewardMonths(achievement), 0)
  return {
    to: to.email,
    subject: `You earned the ${names} ${pluralize(earned.length, 'badge')}`,
    lines: [
      `${formatCount(referralCount, 'friend has', 'friends have')} joined with your link${to.position > 0 ? `, and you're #${to.position} now` : ''}.`,
      ...(months > 0
        ? [
            `Your reward: ${formatCount(months, 'month')} of Pro for the account with this address. It starts ${REWARD_HOURS} hours after ${needed} of these friends have confirmed their email addresses.`,
          ]
        : []),
      ...(earned.some((achievement) => achievement !== 'bronze')
        ? ['Everything you have earned is in Billing, under Your rewards.']
        : []),
    ],
    action: { label: 'See your achievements', link: `${to.origin}/dashboard` },
    closing: `Your referral link: ${shareLink(to)} ${CLOSING}`,
    unsubscribeLink: to.unsubscribeLink,
  }
}

export function invitationEmail(to: Addressee): Email {
  return {
    to: to.email,
    subject: 'Your invitation to X-Automated',
    lines: ["It's your turn! Sign up with this email address to get started."],
    action: { label: 'Sign up', link: `${to.origin}/auth` },
    closing: CLOSING,
    unsubscribeLink: to.unsubscribeLink,
  }
}
