/** X's own pages, which stand where profiles do: X gives nobody such a name. */
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

/** X's own rule. */
export const HANDLE_SPELLING = /^[A-Za-z0-9_]{1,15}$/

/** What can be wrong with a handle, in words that go on from what is said to be wrong. */
export const HANDLE_PROBLEMS = {
  spelling: 'must be 1 to 15 letters, digits or underscores',
  page: 'is a page of X, nobody’s handle',
} as const

/** Why X gives nobody this handle, which has no @; null: it may. */
export function handleFault(handle: string): keyof typeof HANDLE_PROBLEMS | null {
  if (!HANDLE_SPELLING.test(handle)) return 'spelling'
  return NO_PROFILES.has(handle.toLowerCase()) ? 'page' : null
}

/**
 * The handle in what somebody typed, pasted or exported: without its @, and out of the address of a profile.
 * Whether X could have it is for `handleFault`; an address of something else stays as it is.
 */
export function handleIn(text: string): string {
  const bare = text.trim()
  const profile = /^(?:https?:\/\/)?(?:www\.|mobile\.|m\.)?(?:x|twitter)\.com\/(?:#!\/)?@?([^/?#]+)/i.exec(bare)?.[1]
  return profile && !NO_PROFILES.has(profile.toLowerCase()) ? profile : bare.replace(/^@/, '')
}
