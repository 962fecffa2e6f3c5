interface Notice {
  tone: 'info' | 'good' | 'bad'
  title: string
  words: string
}

const notices: Record<string, Notice> = {
  waiting: {
    tone: 'info',
    title: 'This mailbox has confirmed',
    words: 'The address changes once the other mailbox has confirmed, too. Its link works for 24 hours.',
  },
  done: {
    tone: 'good',
    title: 'The email address was changed',
    words: 'Both mailboxes have confirmed. From now on you log in with the new address.',
  },
  error: {
    tone: 'bad',
    title: 'The email address was not changed',
    words: 'This link is invalid, was used already, or has expired. You can begin the change anew on the account page.',
  },
}

/** The words for what the address says of a change; null where it says nothing known. */
export function emailChangeNotice(outcome: string | null): Notice | null {
  return outcome !== null && Object.hasOwn(notices, outcome) ? (notices[outcome] ?? null) : null
}
