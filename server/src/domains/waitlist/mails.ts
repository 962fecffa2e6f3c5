import { ACHIEVEMENTS, type Achievement } from '@x-automated/contract/waitlist'
import { renderEmail } from '../../jobs/mail.ts'
import type { Email } from '../../outside/mail.ts'
import { nextReward, rewardMonths } from './rules.ts'

/** What every mail to a member needs. */
export interface Addressee {
  email: string
  referralCode: string
  position: number
  /** The product's origin. */
  origin: string
  unsubscribeLink: string
}

const shareLink = ({ origin, referralCode }: Addressee) => `${origin}/waitlist?ref=${referralCode}`
const CLOSING = 'You get this mail because this address is on the waitlist of X-Automated.'

/** Tells a new member their place, and asks them to confirm their address where that is required. */
export function joinedMail(to: Addressee, confirmLink: string, confirmRequired: boolean): Email {
  return renderEmail(to.email, {
    subject: "You're on the waitlist",
    lines: [
      `Your position: #${to.position}. Move up 5 spots per referral: share your own link, ${shareLink(to)}`,
      confirmRequired
        ? 'Please confirm your email address, so that your place counts for the friend who invited you.'
        : 'Confirm your email address, so that we can reach you when it is your turn.',
    ],
    action: { label: 'Confirm email address', link: confirmLink },
    closing: `${CLOSING} If you did not join, ignore it.`,
    unsubscribeLink: to.unsubscribeLink,
  })
}

/** @param referralCount credited referrals so far */
export function movedUpMail(to: Addressee, referralCount: number): Email {
  const { label, remaining } = nextReward(referralCount)
  const friends = `${referralCount} ${referralCount === 1 ? 'friend has' : 'friends have'} joined with your link.`
  return renderEmail(to.email, {
    subject: to.position > 0 ? `You moved up: you're #${to.position} now` : 'A friend joined with your link',
    lines: [friends, ...(remaining > 0 ? [`${remaining} more and you are ${label}.`] : [])],
    action: { label: 'See your ranking', link: `${to.origin}/rankings` },
    closing: `Your link to share: ${shareLink(to)} ${CLOSING}`,
    unsubscribeLink: to.unsubscribeLink,
  })
}

export function achievementsMail(to: Addressee, earned: readonly Achievement[], referralCount: number): Email {
  const names = earned.map((achievement) => ACHIEVEMENTS[achievement])
  const months = earned.reduce((sum, achievement) => sum + rewardMonths(achievement), 0)
  return renderEmail(to.email, {
    subject: `You earned ${names.join(' and ')}`,
    lines: [
      `${referralCount} ${referralCount === 1 ? 'friend has' : 'friends have'} joined with your link${to.position > 0 ? `, and you're #${to.position} now` : ''}.`,
      ...(months > 0
        ? [`Your reward: ${months} ${months === 1 ? 'month' : 'months'} of Pro, on the account with this address.`]
        : []),
    ],
    action: { label: 'See your achievements', link: `${to.origin}/dashboard` },
    closing: `Your link to share: ${shareLink(to)} ${CLOSING}`,
    unsubscribeLink: to.unsubscribeLink,
  })
}

export function invitationMail(to: Addressee): Email {
  return renderEmail(to.email, {
    subject: 'Your invitation to X-Automated',
    lines: ['It is your turn: your place on the waitlist has come up. Sign up with this address to start.'],
    action: { label: 'Sign up', link: `${to.origin}/auth` },
    closing: CLOSING,
    unsubscribeLink: to.unsubscribeLink,
  })
}
