import type { Lead } from '@x-automated/contract/leads/leads'

/** X's image host, the only one that the content security policy allows. */
const X_IMAGES = 'https://pbs.twimg.com/'

/** Another image host that this server's policy allows, as the page's meta tag states. */
function extraImageHost(): string | null {
  return document.querySelector<HTMLMetaElement>('meta[name="pictures"]')?.content || null
}

/** The profile picture's URL, or null if the content security policy blocks its host. */
export function profilePictureUrl({ profileImageUrl }: Pick<Lead, 'profileImageUrl'>): string | null {
  if (!profileImageUrl) return null
  const extra = extraImageHost()
  const isAllowed = profileImageUrl.startsWith(X_IMAGES) || (extra !== null && profileImageUrl.startsWith(`${extra}/`))
  return isAllowed ? profileImageUrl : null
}
