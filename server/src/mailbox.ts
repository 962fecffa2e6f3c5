/** Rules of email providers. All of them ignore `+tag`; those with `dots` also ignore dots. */
const PROVIDERS: { domains: string[]; dots?: true }[] = [
  // https://support.google.com/mail/answer/7436150; googlemail.com is the same mailbox.
  { domains: ['gmail.com', 'googlemail.com'], dots: true },
  { domains: ['outlook.com', 'hotmail.com', 'live.com', 'msn.com'] },
  { domains: ['icloud.com', 'me.com', 'mac.com'] },
  { domains: ['proton.me', 'protonmail.com', 'pm.me'] },
  { domains: ['fastmail.com', 'fastmail.fm'] },
  { domains: ['yandex.com', 'yandex.ru', 'ya.ru'] },
  { domains: ['zoho.com', 'zohomail.com'] },
  { domains: ['tutanota.com', 'tuta.com'] },
  { domains: ['mailbox.org'] },
  { domains: ['posteo.de'] },
  { domains: ['hey.com'] },
]
/** Alias domains, and the domain whose mailboxes they share. */
const SAME_MAILBOX: Record<string, string> = {
  'googlemail.com': 'gmail.com',
  'me.com': 'icloud.com',
  'mac.com': 'icloud.com',
  'protonmail.com': 'proton.me',
  'pm.me': 'proton.me',
  'yandex.ru': 'yandex.com',
  'ya.ru': 'yandex.com',
}
const RULES = new Map(PROVIDERS.flatMap(({ domains, dots }) => domains.map((domain) => [domain, { dots }] as const)))

/**
 * Normalizes an address to its mailbox, so that a person counts once: lower case, without what the
 * provider ignores. Addresses of other providers are only lowercased.
 */
export function normalizeEmail(email: string): string {
  const lower = email.trim().toLowerCase()
  const at = lower.lastIndexOf('@')
  const domain = lower.slice(at + 1)
  const rule = RULES.get(domain)
  if (!rule) return lower
  const untagged = lower.slice(0, at).replace(/(?<=.)\+.*$/, '')
  const local = rule.dots ? untagged.replaceAll('.', '') : untagged
  return `${local}@${SAME_MAILBOX[domain] ?? domain}`
}
