/** Pages whose views are counted by path. All others count as 'other'. */
const PAGES = new Set(
  [
    '/',
    ...['waitlist', 'leaderboard', 'rankings', 'pricing', 'auth', 'login', 'forgot-password', 'reset-password'],
    ...[
      'dashboard',
      'twitter',
      'leads',
      'lists',
      'campaigns',
      'inbox',
      'billing',
      'invitation',
      'auth/callback',
      'auth/confirm',
    ],
    ...['account', 'settings', 'operator', 'extension', 'embed'],
  ].map((page) => (page === '/' ? page : `/${page}`)),
)

/** The counted page, without query, fragment and trailing slash; 'other' for unknown paths. */
export function pageOf(path: string): string {
  const bare = path.replace(/[?#].*$/s, '').replace(/(?<=.)\/+$/, '')
  if (/^\/campaigns\/[^/]+$/.test(bare)) return '/campaigns/{id}'
  if (/^\/r\/[^/]+$/.test(bare)) return '/r/{token}'
  if (/^\/inbox\/[^/]+$/.test(bare)) return '/inbox/{id}'
  return PAGES.has(bare) ? bare : 'other'
}
