/** Pages whose views are counted by name; all others are counted as one. */
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
      'billing',
      'invitation',
      'auth/callback',
      'auth/confirm',
    ],
    ...['account', 'settings', 'operator', 'extension', 'embed'],
  ].map((page) => (page === '/' ? page : `/${page}`)),
)

/** The page that a view is counted for: without query, fragment and trailing slash; 'other' for what is no page of ours. */
export function pageOf(path: string): string {
  const bare = path.replace(/[?#].*$/s, '').replace(/(?<=.)\/+$/, '')
  if (/^\/campaigns\/[^/]+$/.test(bare)) return '/campaigns/{id}'
  return PAGES.has(bare) ? bare : 'other'
}
