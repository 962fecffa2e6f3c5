/** What goes with a shared link (specification §7). */
export const SHARE_WORDS = 'Join me on X-Automated and get priority access! Use my referral link:'

/** The referral link in the form that each page has (specification §7). `origin` is without a trailing slash. */
export const referralLinks = {
  waitlist: (origin: string, code: string) => `${origin}/waitlist?ref=${encodeURIComponent(code)}`,
  dashboard: (origin: string, code: string) => `${origin}?ref=${encodeURIComponent(code)}`,
  rankings: (origin: string, code: string) => `${origin}/?ref=${encodeURIComponent(code)}`,
}

/** Where each network takes a link and words to share. */
export const shareAddresses = {
  // https://developer.x.com/en/docs/x-for-websites/web-intents/overview
  twitter: (link: string) => `https://twitter.com/intent/tweet?${query({ text: SHARE_WORDS, url: link })}`,
  // https://developers.facebook.com/docs/sharing/reference/share-dialog: takes no words
  facebook: (link: string) => `https://www.facebook.com/sharer/sharer.php?${query({ u: link })}`,
  // LinkedIn takes no words either.
  linkedin: (link: string) => `https://www.linkedin.com/sharing/share-offsite/?${query({ url: link })}`,
  // https://faq.whatsapp.com/5913398998672934
  whatsapp: (link: string) => `https://wa.me/?${query({ text: `${SHARE_WORDS} ${link}` })}`,
  email: (link: string) => `mailto:?${query({ subject: 'Join me on X-Automated', body: `${SHARE_WORDS} ${link}` })}`,
}
export type ShareChannel = keyof typeof shareAddresses

/** As URLSearchParams, but with %20 for a space: mail programs show a + as it is. */
function query(parts: Record<string, string>): string {
  return Object.entries(parts)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')
}
