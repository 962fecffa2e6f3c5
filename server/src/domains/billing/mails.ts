import { renderEmail } from '../../jobs/mail.ts'
import type { Email } from '../../outside/mail.ts'

/** To somebody who has paid without an account: what they pay for waits for one. */
export function planWaitsMail(to: string, planName: string, origin: string): Email {
  return renderEmail(to, {
    subject: `Your ${planName} plan is waiting for you`,
    lines: [
      `Thank you for buying ${planName}. There is no X-Automated account with this address yet.`,
      'Sign up with this address and confirm it: the plan is yours at once. If you have an account with another address, change its address to this one, or write to us.',
    ],
    action: { label: 'Create your account', link: `${origin}/auth` },
    closing: 'You get this mail because a payment was made with this address.',
  })
}
