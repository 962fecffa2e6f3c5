import { ExternalLink } from 'lucide-react'
import { type ButtonVariant, buttonClass } from '../../../ui/button'

/** Mailboxes on the web, by the domain of their addresses. */
const MAILBOXES: readonly { name: string; address: string; domains: RegExp }[] = [
  { name: 'Gmail', address: 'https://mail.google.com/mail/', domains: /^(gmail|googlemail)\.com$/ },
  { name: 'Outlook', address: 'https://outlook.live.com/mail/', domains: /^(outlook|hotmail|live|msn)\.[a-z.]+$/ },
  { name: 'Yahoo Mail', address: 'https://mail.yahoo.com/', domains: /^(yahoo\.[a-z.]+|ymail\.com)$/ },
  { name: 'iCloud Mail', address: 'https://www.icloud.com/mail/', domains: /^(icloud|me|mac)\.com$/ },
  { name: 'Proton Mail', address: 'https://mail.proton.me/', domains: /^(proton\.me|protonmail\.com|pm\.me)$/ },
]

/** The mailbox of an address on the web, or undefined for an unknown domain. */
export function mailboxOf(email: string): { name: string; address: string } | undefined {
  const domain = email.trim().toLowerCase().split('@').at(-1) ?? ''
  return MAILBOXES.find(({ domains }) => domains.test(domain))
}

/** Opens the mailbox of an address in a new tab. Renders nothing if it is unknown. */
export function OpenMail({ email, variant = 'primary' }: { email: string; variant?: ButtonVariant }) {
  const mailbox = mailboxOf(email)
  if (!mailbox) return null
  return (
    <a href={mailbox.address} target="_blank" rel="noreferrer" className={buttonClass({ variant })}>
      Open {mailbox.name}
      <ExternalLink aria-label="in a new tab" />
    </a>
  )
}
