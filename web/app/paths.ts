import type { PlanId } from '@x-automated/contract/plans'

/** Who a page is for. Pages for everyone are prerendered; signed-in ones send guests to /login and back; to all but operators theirs are not there. */
export type PageAccess = 'public' | 'signed-in' | 'operator'

interface Page {
  path: string
  access: PageAccess
  /** The route module, relative to app/. */
  file: string
  /** Nobody is to find it: one is led there. */
  unlisted?: true
}

/** Every page of the product. To build one, write its module and name it here: route, prerendering, menus and redirects follow. */
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

/** The path of every page, by its name: `paths.leads`. Fill in parameters with React Router's `generatePath`. */
export const paths = Object.fromEntries(
  Object.entries(allPages).map(([name, page]) => [name, page.path]),
) as unknown as { [K in PageName]: (typeof allPages)[K]['path'] }

/** Static documents beside the app (web/legal): links to them load a page of their own. */
export const documents = { privacy: '/privacy.html', terms: '/terms.html' } as const

/** Leads to the payment provider's page for a built-in plan. An address of the server's: what it leads to is known only when it runs. */
export function buyPath(planId: PlanId): string {
  return `/buy/${planId}`
}

/** What a page that rests waits for. */
export type Rest = 'touched' | 'joined'

/**
 * Pages that are whole without their app, which waits until somebody reaches for it (decision 0022).
 * That of `joined` shows its place to whoever has joined in this browser, and wakes for them. Pages that are not named start their app once they are drawn.
 */
export const deferredPages: Readonly<Record<string, Rest>> = {
  [allPages.home.path]: 'touched',
  [allPages.pricing.path]: 'touched',
  [allPages.rankings.path]: 'touched',
  [allPages.forgotPassword.path]: 'touched',
  [allPages.login.path]: 'touched',
  [allPages.signUp.path]: 'touched',
  [allPages.waitlist.path]: 'joined',
}

/** Every page with its module, for the router. */
export const pages: readonly Page[] = Object.values(allPages)
