import { renderEmail } from '../../jobs/mail.ts'
import type { Email } from '../../outside/mail.ts'

/** @param link valid for an hour, once */
export function resetPasswordMail(to: string, link: string): Email {
  return renderEmail(to, {
    subject: 'Reset your password',
    lines: ['Somebody, probably you, asked to set a new password for your X-Automated account.'],
    action: { label: 'Set new password', link },
    closing: 'The link works once, for an hour. If you did not ask for it, ignore this mail and nothing happens.',
  })
}

/** Tells the owner afterwards, as it may not have been them. */
export function passwordChangedMail(to: string, recoverLink: string): Email {
  return renderEmail(to, {
    subject: 'Your password was changed',
    lines: ['The password of your X-Automated account was changed, and other devices were signed out.'],
    action: { label: 'This was not me', link: recoverLink },
    closing: 'If it was you, there is nothing to do.',
  })
}

/** @param purpose what the code is for, after 'Your code to' */
export function codeMail(to: string, code: string, purpose: string, link: string): Email {
  const spaced = `${code.slice(0, 4)} ${code.slice(4)}`
  return renderEmail(to, {
    subject: `Your code: ${spaced}`,
    lines: [`Your code to ${purpose}: ${spaced}`, 'It works once, for 10 minutes, where you asked for it.'],
    action: { label: 'Open X-Automated', link },
    closing: 'Never give this code to anybody. If you did not ask for it, ignore this mail.',
  })
}

/** To the present mailbox of an account that is to move. @param link valid for 24 hours */
export function leaveAddressMail(to: string, newAddress: string, link: string): Email {
  return renderEmail(to, {
    subject: 'Confirm the change of your email address',
    lines: [
      `Your X-Automated account is to use ${newAddress} from now on. Confirm here that you want this; the new mailbox has to confirm, too.`,
    ],
    action: { label: 'Confirm the change', link },
    closing: 'The link works for 24 hours. If this was not you, do not confirm, and change your password.',
  })
}

/** To the mailbox that an account is to move to. @param link valid for 24 hours */
export function enterAddressMail(to: string, link: string): Email {
  return renderEmail(to, {
    subject: 'Confirm your new email address',
    lines: [
      'An X-Automated account is to use this address from now on. Confirm that it is yours; the old mailbox has to confirm, too.',
    ],
    action: { label: 'Confirm the address', link },
    closing: 'The link works for 24 hours. If you know nothing of it, ignore this mail and nothing happens.',
  })
}

/** To a mailbox whose address another account tried to move to: the screen of that account does not say so. */
export function addressTakenMail(to: string, loginLink: string): Email {
  return renderEmail(to, {
    subject: 'Your address already has an account',
    lines: [
      'Another X-Automated account, perhaps yours too, tried to move to this address. It has an account already, so nothing was changed.',
    ],
    action: { label: 'Log in', link: loginLink },
    closing: 'If that was not you, ignore this mail.',
  })
}

/** To the mailbox that an account has left. */
export function addressChangedMail(to: string, newAddress: string, link: string): Email {
  return renderEmail(to, {
    subject: 'Your email address was changed',
    lines: [`Your X-Automated account uses ${newAddress} from now on, as both mailboxes have confirmed.`],
    action: { label: 'Open X-Automated', link },
    closing: 'This was the last mail about this account to this address.',
  })
}
