interface Notice {
  tone: 'info' | 'good' | 'bad'
  title: string
  text: string
}

const notices: Record<string, Notice> = {
  waiting: {
    tone: 'info',
    title: 'This address is confirmed',
    text: 'Your email changes once you also confirm from the other address. That link works for 24 hours.',
  },
  done: {
    tone: 'good',
    title: 'Email address changed',
    text: 'You confirmed both addresses. Log in with the new one from now on.',
  },
  error: {
    tone: 'bad',
    title: 'Email address not changed',
    text: 'This link is invalid, already used or expired. Start again from your account page.',
  },
}

/** The message for the `emailChange` parameter, or null if unknown. */
export function emailChangeNotice(outcome: string | null): Notice | null {
  return outcome !== null && Object.hasOwn(notices, outcome) ? (notices[outcome] ?? null) : null
}
