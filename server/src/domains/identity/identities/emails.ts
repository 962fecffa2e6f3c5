import type { Identity } from '@x-automated/contract/identity/identities'
import type { Email } from '../../../emails/email.ts'

/** Alerts the account's user that an outside account can now sign in to theirs. */
export function identityLinkedEmail(to: string, accountLink: string, provider: Identity['provider']): Email {
  const [name, subject] =
    provider === 'google' ? ['Google', 'A Google account'] : ['Single sign-on', "A workspace's single sign-on"]
  return {
    to,
    subject: `${name} was linked to your account`,
    lines: [`${subject} can now sign in to your X-Automated account without your password.`],
    action: { label: 'Review sign-in methods', link: accountLink },
    closing: "If this wasn't you, unlink it and change your password.",
  }
}

/** Alerts the account's user that an outside account can no longer sign in to theirs. */
export function identityUnlinkedEmail(to: string, accountLink: string): Email {
  return {
    to,
    subject: 'A sign-in method was unlinked',
    lines: ['A sign-in method was unlinked from your X-Automated account and can no longer sign in to it.'],
    action: { label: 'Review sign-in methods', link: accountLink },
    closing: "If this wasn't you, change your password and sign out all other devices.",
  }
}
