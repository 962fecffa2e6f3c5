import type { PlanId } from '@x-automated/contract/plans'

/**
 * Public pages are prerendered; signed-in pages send guests to /login and back; operator pages are
 * 404 for everyone else.
 */
export type PageAccess = 'public' | 'signed-in' | 'operator'

interface Page {
  path: string
  access: PageAccess
  /** The route module, relative to app/. */
  file: string
  /** Reached only by links we send; not in the sitemap. */
  unlisted?: true
}

/**
 * Every page. To add one, write its module and list it here; route, prerendering, menus and
 * redirects follow.
 */
const allPages = {
  home: { path: '/', access: 'public', file: 'pages/home.tsx' },
  login: { path: '/login', access: 'public', file: 'pages/login.tsx' },
  signUp: { path: '/auth', access: 'public', file: 'pages/sign-up.tsx' },
  authCallback: { path: '/auth/callback', access: 'public', file: 'pages/auth-callback.tsx', unlisted: true },
  confirmEmail: { path: '/auth/confirm', access: 'public', file: 'pages/confirm-email.tsx', unlisted: true },
  forgotPassword: { path: '/forgot-password', access: 'public', file: 'pages/forgot-password.tsx', unlisted: true },
  resetPassword: { path: '/reset-password', access: 'public', file: 'pages/reset-password.tsx', unlisted: true },
  waitlist: { path: '/waitlist', access: 'public', file: 'pages/waitlist.tsx' },
  leaderboard: { path: '/leaderboard', access: 'public', file: 'pages/leaderboard.tsx' },
  rankings: { path: '/rankings', access: 'public', file: 'pages/rankings.tsx' },
  pricing: { path: '/pricing', access: 'public', file: 'pages/pricing.tsx' },
  dashboard: { path: '/dashboard', access: 'signed-in', file: 'pages/dashboard.tsx' },
  xAutomation: { path: '/twitter', access: 'signed-in', file: 'pages/twitter.tsx' },
  leads: { path: '/leads', access: 'signed-in', file: 'pages/leads.tsx' },
  lists: { path: '/lists', access: 'signed-in', file: 'pages/lists.tsx' },
  campaigns: { path: '/campaigns', access: 'signed-in', file: 'pages/campaigns.tsx' },
  campaign: { path: '/campaigns/:campaignId', access: 'signed-in', file: 'pages/campaign.tsx' },
  billing: { path: '/billing', access: 'signed-in', file: 'pages/billing.tsx' },
  account: { path: '/account', access: 'signed-in', file: 'pages/account.tsx' },
  invitation: { path: '/invitation', access: 'public', file: 'pages/invitation.tsx', unlisted: true },
  settings: { path: '/settings', access: 'signed-in', file: 'pages/settings.tsx' },
  operator: { path: '/operator', access: 'operator', file: 'pages/operator.tsx' },
  extension: { path: '/extension', access: 'signed-in', file: 'pages/extension.tsx' },
} as const satisfies Record<string, Page>

export type PageName = keyof typeof allPages

/** Paths by page name: `paths.leads`. Fill in parameters with `generatePath`. */
export const paths = Object.fromEntries(
  Object.entries(allPages).map(([name, page]) => [name, page.path]),
) as unknown as { [K in PageName]: (typeof allPages)[K]['path'] }

/** Static documents outside the app (web/legal); links to them load a new page. */
export const documents = { privacy: '/privacy.html', terms: '/terms.html' } as const

/** A server path that redirects to the payment provider's page for a built-in plan. */
export function buyPath(planId: PlanId): string {
  return `/buy/${planId}`
}

/** What starts the app of a page with deferred hydration. */
export type HydrationTrigger = 'touched' | 'joined'

/**
 * Pages that work without the app and hydrate on the first interaction (docs/decisions/0022).
 * `joined` also hydrates for people who have joined the waitlist in this browser. All other pages
 * hydrate once painted.
 */
export const deferredPages: Readonly<Record<string, HydrationTrigger>> = {
  [allPages.home.path]: 'touched',
  [allPages.pricing.path]: 'touched',
  [allPages.rankings.path]: 'touched',
  [allPages.forgotPassword.path]: 'touched',
  [allPages.login.path]: 'touched',
  [allPages.signUp.path]: 'touched',
  [allPages.waitlist.path]: 'joined',
}

export const pages: readonly Page[] = Object.values(allPages)
