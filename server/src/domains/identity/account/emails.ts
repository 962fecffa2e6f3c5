import type { Email } from '../../../emails/email.ts'

/** @param link valid once, for an hour */
export function resetPasswordEmail(to: string, link: string): Email {
  return {
    to,
    subject: 'Reset your password',
    lines: ['We received a request to reset your X-Automated password.'],
    action: { label: 'Set new password', link },
    closing: "The link works once, within an hour. Didn't request this? You can ignore this email.",
  }
}

/** Alerts the account's user, who may not have made the change. @param recoverLink resets the password */
export function passwordChangedEmail(to: string, recoverLink: string): Email {
  return {
    to,
    subject: 'Your password was changed',
    lines: ['The password of your X-Automated account was changed, and your other devices were signed out.'],
    action: { label: "This wasn't me", link: recoverLink },
    closing: "If this was you, you don't need to do anything.",
  }
}

/** @param purpose completes 'Your code to …' */
export function codeEmail(to: string, code: string, purpose: string, link: string): Email {
  const spaced = `${code.slice(0, 4)} ${code.slice(4)}`
  return {
    to,
    subject: `Your code: ${spaced}`,
    lines: [
      `Your code to ${purpose}: ${spaced}`,
      'It works once, within 10 minutes, in the window where you requested it.',
    ],
    action: { label: 'Open X-Automated', link },
    closing: "Never share this code. Didn't request it? You can ignore this email.",
  }
}

/** The email to the current address of an account that is changing it. @param link valid for 24 hours */
export function confirmOldAddressEmail(to: string, newAddress: string, link: string): Email {
  return {
    to,
    subject: 'Confirm the change to your email address',
    lines: [`Confirm that you want to change your email to ${newAddress}. We've also emailed the new address.`],
    action: { label: 'Confirm change', link },
    closing: "The link works for 24 hours. If this wasn't you, don't confirm, and change your password.",
  }
}

/** The email to the new address of an account that is changing it. @param link valid for 24 hours */
export function confirmNewAddressEmail(to: string, link: string): Email {
  return {
    to,
    subject: 'Confirm your new email address',
    lines: ["Confirm that this address is yours. Your account will then use it. We've also emailed the old address."],
    action: { label: 'Confirm address', link },
    closing: "The link works for 24 hours. Didn't request this? You can ignore this email.",
  }
}

/** Sent to a taken address after another account tried to change to it. The screen does not reveal that it is taken. */
export function addressTakenEmail(to: string, loginLink: string): Email {
  return {
    to,
    subject: 'Your address already has an account',
    lines: [
      'Another X-Automated account tried to change its email to this address. This address already has an account, so nothing was changed.',
    ],
    action: { label: 'Log in', link: loginLink },
    closing: "If this wasn't you, you can ignore this email.",
  }
}

/** The email to the former address of an account that has changed it. */
export function addressChangedEmail(to: string, newAddress: string, link: string): Email {
  return {
    to,
    subject: 'Your email address was changed',
    lines: [`Both addresses confirmed the change. Your X-Automated account now uses ${newAddress}.`],
    action: { label: 'Open X-Automated', link },
    closing: "We won't email this address about this account again.",
  }
}
