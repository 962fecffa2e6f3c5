/** What goes with a shared link (specification §7). */
export const SHARE_WORDS = 'Join me on X-Automated and get priority access! Use my referral link:'

/** What goes with a link to the product itself. */
export const PRODUCT_WORDS = 'X-Automated: automate your X outreach with AI'

/** The referral link in the form that each page has (specification §7). `origin` is without a trailing slash. */
export const referralLinks = {
  waitlist: (origin: string, code: string) => `${origin}/waitlist?ref=${encodeURIComponent(code)}`,
  dashboard: (origin: string, code: string) => `${origin}?ref=${encodeURIComponent(code)}`,
  rankings: (origin: string, code: string) => `${origin}/?ref=${encodeURIComponent(code)}`,
}

export type ShareChannel = 'twitter' | 'facebook' | 'linkedin' | 'whatsapp' | 'email'

/** Where each network takes a link and words to share; the words are those of a referral link unless others are given. */
export const shareAddresses: Record<ShareChannel, (link: string, text?: string) => string> = {
  // https://developer.x.com/en/docs/x-for-websites/web-intents/overview
  twitter: (link, text = SHARE_WORDS) => `https://twitter.com/intent/tweet?${query({ text, url: link })}`,
  // https://developers.facebook.com/docs/sharing/reference/share-dialog: takes no words
  facebook: (link) => `https://www.facebook.com/sharer/sharer.php?${query({ u: link })}`,
  // LinkedIn takes no words either.
  linkedin: (link) => `https://www.linkedin.com/sharing/share-offsite/?${query({ url: link })}`,
  // https://faq.whatsapp.com/5913398998672934
  whatsapp: (link, text = SHARE_WORDS) => `https://wa.me/?${query({ text: `${text} ${link}` })}`,
  email: (link, text = SHARE_WORDS) =>
    `mailto:?${query({ subject: 'Join me on X-Automated', body: `${text} ${link}` })}`,
}

/** As URLSearchParams, but with %20 for a space: mail programs show a + as it is. */
function query(parts: Record<string, string>): string {
  return Object.entries(parts)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')
}
