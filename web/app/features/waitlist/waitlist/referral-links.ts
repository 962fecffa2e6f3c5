/** The text shared with a referral link. */
export const SHARE_TEXT = 'Join me on X-Automated and get priority access! Use my referral link:'

/** The text shared with a link to the product. */
export const PRODUCT_TEXT = 'X-Automated: automate your X outreach with AI'

/** Referral links by page. @param origin without a trailing slash */
export const referralLinks = {
  waitlist: (origin: string, code: string) => `${origin}/waitlist?ref=${encodeURIComponent(code)}`,
  dashboard: (origin: string, code: string) => `${origin}?ref=${encodeURIComponent(code)}`,
  rankings: (origin: string, code: string) => `${origin}/?ref=${encodeURIComponent(code)}`,
}

export type ShareChannel = 'twitter' | 'facebook' | 'linkedin' | 'whatsapp' | 'email'

/** The share URL of each network. The text defaults to that of a referral link. */
export const shareAddresses: Record<ShareChannel, (link: string, text?: string) => string> = {
  // https://developer.x.com/en/docs/x-for-websites/web-intents/overview
  twitter: (link, text = SHARE_TEXT) => `https://twitter.com/intent/tweet?${query({ text, url: link })}`,
  // https://developers.facebook.com/docs/sharing/reference/share-dialog: takes no text
  facebook: (link) => `https://www.facebook.com/sharer/sharer.php?${query({ u: link })}`,
  // LinkedIn takes no text either.
  linkedin: (link) => `https://www.linkedin.com/sharing/share-offsite/?${query({ url: link })}`,
  // https://faq.whatsapp.com/5913398998672934
  whatsapp: (link, text = SHARE_TEXT) => `https://wa.me/?${query({ text: `${text} ${link}` })}`,
  email: (link, text = SHARE_TEXT) =>
    `mailto:?${query({ subject: 'Join me on X-Automated', body: `${text} ${link}` })}`,
}

/** Like URLSearchParams, but with %20 for spaces: email programs would display +. */
function query(parts: Record<string, string>): string {
  return Object.entries(parts)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')
}
