/** X's reserved paths, which cannot be handles. */
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

/** The form of handles on X. */
export const HANDLE_SPELLING = /^[A-Za-z0-9_]{1,15}$/

/** Problems of a handle, as predicates that follow a subject. */
export const HANDLE_PROBLEMS = {
  spelling: 'must be 1 to 15 letters, digits or underscores',
  page: 'is a page on X, not a handle',
} as const

/** Why X does not allow this handle (without @); null if it does. */
export function handleFault(handle: string): keyof typeof HANDLE_PROBLEMS | null {
  if (!HANDLE_SPELLING.test(handle)) return 'spelling'
  return NO_PROFILES.has(handle.toLowerCase()) ? 'page' : null
}

/** Invisible characters, such as bidi marks, which copied text can contain. */
const INVISIBLE = /[\p{Cf}\p{DI}]/gu

/** Removes invisible characters. Handles and ids have none. */
export function withoutInvisible(text: string): string {
  return text.replace(INVISIBLE, '')
}

/** Characters around a handle or URL in a text: "Ann (@ann)", <https://x.com/ann>. */
const OPEN = `(?:^|[\\s(<["'\\u201c\\u2018])`
const CLOSED = `[\\s)>\\]"'\\u201d\\u2019]*$`
const ON_X = `${OPEN}(?:https?:)?(?:\\/\\/)?(?:www\\.|mobile\\.|m\\.)?(?:x|twitter)\\.com\\/+`
const INTENT = new RegExp(`${ON_X}intent\\/(?:user|follow)\\/?\\?(?:\\S*&)?screen_name=(?:@|%40)*(\\w+)\\S*$`, 'i')
const PROFILE = new RegExp(`${ON_X}(?:#!\\/)?(?:@|%40)*([^/?#\\s)>\\]"'\\u201d\\u2019]+)(?:[/?#]\\S*)?${CLOSED}`, 'i')
const MENTION = new RegExp(`^[^@]*?${OPEN}@+(\\w{1,15})${CLOSED}`)

/**
 * Extracts the handle from typed, pasted or exported text. Strips the @, a profile URL, a name
 * before either, and invisible characters. Replaces full-width characters by plain ones. Leaves
 * other URLs in place. `handleFault` checks the result.
 */
export function handleIn(text: string): string {
  const bare = withoutInvisible(text).normalize('NFKC').trim()
  const profile = INTENT.exec(bare)?.[1] ?? PROFILE.exec(bare)?.[1]
  if (profile && !NO_PROFILES.has(profile.toLowerCase())) return profile
  return MENTION.exec(bare)?.[1] ?? bare.replace(/^@+/, '')
}
