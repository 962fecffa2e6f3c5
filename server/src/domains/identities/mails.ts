import type { Identity } from '@x-automated/contract/identities'
import { renderEmail } from '../../jobs/mail.ts'
import type { Email } from '../../outside/mail.ts'

/** Tells the owner of an account that somebody else vouches for them from now on. */
export function identityLinkedMail(to: string, accountLink: string, provider: Identity['provider']): Email {
  const [name, what] =
    provider === 'google' ? ['Google', 'A Google account'] : ['Single sign-on', "A workspace's single sign-on"]
  return renderEmail(to, {
    subject: `${name} signs you in from now on`,
    lines: [`${what} was linked to your X-Automated account. It can sign in without your password.`],
    action: { label: 'See how you sign in', link: accountLink },
    closing: 'If this was not you, unlink it and change your password.',
  })
}

/** Tells the owner of an account that one of the accounts elsewhere signs in to it no more. */
export function identityUnlinkedMail(to: string, accountLink: string): Email {
  return renderEmail(to, {
    subject: 'A way to sign in was unlinked',
    lines: ['An account elsewhere that signed in to your X-Automated account was unlinked. It signs in no more.'],
    action: { label: 'See how you sign in', link: accountLink },
    closing: 'If this was not you, change your password and end all other sessions.',
  })
}
