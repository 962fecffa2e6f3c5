/** X's own pages, which stand where profiles do. */
const NO_PROFILES = new Set([
  'about',
  'account',
  'compose',
  'download',
  'explore',
  'hashtag',
  'home',
  'i',
  'intent',
  'jobs',
  'login',
  'logout',
  'messages',
  'notifications',
  'privacy',
  'search',
  'settings',
  'share',
  'signup',
  'tos',
])

/**
 * The handle in what somebody typed, pasted or exported: without its @, and out of the address of a profile.
 * Whether X could have it is not looked at; an address of something else stays as it is.
 */
export function handleIn(text: string): string {
  const bare = text.trim()
  const profile = /^(?:https?:\/\/)?(?:www\.|mobile\.|m\.)?(?:x|twitter)\.com\/(?:#!\/)?@?([^/?#]+)/i.exec(bare)?.[1]
  return profile && !NO_PROFILES.has(profile.toLowerCase()) ? profile : bare.replace(/^@/, '')
}
