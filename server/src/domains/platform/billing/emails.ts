import type { Email } from '../../../emails/email.ts'

/** Sent to someone who paid without an account. */
export function planWaitingEmail(to: string, planName: string, origin: string): Email {
  return {
    to,
    subject: `Your ${planName} plan is waiting for you`,
    lines: [
      `Thank you for buying ${planName}. There's no X-Automated account with this email address yet.`,
      'Sign up with this address and confirm it, and the plan is yours. Already have an account with another address? Change it to this one, or contact us.',
    ],
    action: { label: 'Create your account', link: `${origin}/auth` },
    closing: "You're receiving this because a payment was made with this address.",
  }
}
