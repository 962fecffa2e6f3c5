import type { PlanId } from '@x-automated/contract/platform/plans'

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
  home: { path: '/', access: 'public', file: 'pages/waitlist/home.tsx' },
  login: { path: '/login', access: 'public', file: 'pages/identity/login.tsx' },
  signUp: { path: '/auth', access: 'public', file: 'pages/identity/sign-up.tsx' },
  authCallback: { path: '/auth/callback', access: 'public', file: 'pages/identity/auth-callback.tsx', unlisted: true },
  confirmEmail: { path: '/auth/confirm', access: 'public', file: 'pages/identity/confirm-email.tsx', unlisted: true },
  forgotPassword: {
    path: '/forgot-password',
    access: 'public',
    file: 'pages/identity/forgot-password.tsx',
    unlisted: true,
  },
  resetPassword: {
    path: '/reset-password',
    access: 'public',
    file: 'pages/identity/reset-password.tsx',
    unlisted: true,
  },
  waitlist: { path: '/waitlist', access: 'public', file: 'pages/waitlist/waitlist.tsx' },
  leaderboard: { path: '/leaderboard', access: 'public', file: 'pages/waitlist/leaderboard.tsx' },
  rankings: { path: '/rankings', access: 'public', file: 'pages/waitlist/rankings.tsx' },
  pricing: { path: '/pricing', access: 'public', file: 'pages/platform/pricing.tsx' },
  dashboard: { path: '/dashboard', access: 'signed-in', file: 'pages/overview/dashboard.tsx' },
  xAutomation: { path: '/twitter', access: 'signed-in', file: 'pages/platform/twitter.tsx' },
  leads: { path: '/leads', access: 'signed-in', file: 'pages/leads/leads.tsx' },
  lists: { path: '/lists', access: 'signed-in', file: 'pages/leads/lists.tsx' },
  campaigns: { path: '/campaigns', access: 'signed-in', file: 'pages/outreach/campaigns.tsx' },
  campaign: { path: '/campaigns/:campaignId', access: 'signed-in', file: 'pages/outreach/campaign.tsx' },
  billing: { path: '/billing', access: 'signed-in', file: 'pages/platform/billing.tsx' },
  account: { path: '/account', access: 'signed-in', file: 'pages/identity/account.tsx' },
  invitation: { path: '/invitation', access: 'public', file: 'pages/identity/invitation.tsx', unlisted: true },
  settings: { path: '/settings', access: 'signed-in', file: 'pages/overview/settings.tsx' },
  operator: { path: '/operator', access: 'operator', file: 'pages/overview/operator.tsx' },
  extension: { path: '/extension', access: 'signed-in', file: 'pages/outreach/extension.tsx' },
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
