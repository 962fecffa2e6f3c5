import type { PlanId } from '@x-automated/contract/platform/plans'

/** Signed-in pages redirect guests to /login. Operator pages are a 404 for everyone but operators. */
export type PageAccess = 'public' | 'signed-in' | 'operator'

interface Page {
  path: string
  access: PageAccess
  /** The route module, relative to app/. */
  file: string
  /** Only reached by links that we send, so it is not in the sitemap. */
  unlisted?: true
}

/** Every page. To add one, list its module here. Its route, prerendering and redirects are derived from this list. */
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
  privacy: { path: '/privacy.html', access: 'public', file: 'pages/privacy.tsx' },
  terms: { path: '/terms.html', access: 'public', file: 'pages/terms.tsx' },
  help: { path: '/help', access: 'public', file: 'pages/help.tsx' },
  changelog: { path: '/changelog', access: 'public', file: 'pages/changelog.tsx' },
  dashboard: { path: '/dashboard', access: 'signed-in', file: 'pages/overview/dashboard.tsx' },
  inbox: { path: '/inbox', access: 'signed-in', file: 'pages/outreach/inbox.tsx' },
  conversation: { path: '/inbox/:conversationId', access: 'signed-in', file: 'pages/outreach/conversation.tsx' },
  xAutomation: { path: '/twitter', access: 'signed-in', file: 'pages/platform/twitter.tsx' },
  accountHealth: { path: '/accounts/:accountId', access: 'signed-in', file: 'pages/overview/account-health.tsx' },
  leads: { path: '/leads', access: 'signed-in', file: 'pages/leads/leads.tsx' },
  lists: { path: '/lists', access: 'signed-in', file: 'pages/leads/lists.tsx' },
  list: { path: '/lists/:listId', access: 'signed-in', file: 'pages/leads/list.tsx' },
  campaigns: { path: '/campaigns', access: 'signed-in', file: 'pages/outreach/campaigns.tsx' },
  newCampaign: { path: '/campaigns/new', access: 'signed-in', file: 'pages/outreach/new-campaign.tsx' },
  campaign: { path: '/campaigns/:campaignId', access: 'signed-in', file: 'pages/outreach/campaign.tsx' },
  editCampaign: { path: '/campaigns/:campaignId/edit', access: 'signed-in', file: 'pages/outreach/edit-campaign.tsx' },
  /** An earlier address of `editCampaign`. */
  campaignSteps: {
    path: '/campaigns/:campaignId/steps',
    access: 'signed-in',
    file: 'pages/outreach/campaign-steps.tsx',
  },
  templates: { path: '/templates', access: 'signed-in', file: 'pages/outreach/templates.tsx' },
  campaignOpeners: {
    path: '/campaigns/:campaignId/openers',
    access: 'signed-in',
    file: 'pages/outreach/campaign-openers.tsx',
  },
  billing: { path: '/billing', access: 'signed-in', file: 'pages/platform/billing.tsx' },
  account: { path: '/account', access: 'signed-in', file: 'pages/identity/account.tsx' },
  invitation: { path: '/invitation', access: 'public', file: 'pages/identity/invitation.tsx', unlisted: true },
  report: { path: '/r/:token', access: 'public', file: 'pages/overview/report.tsx', unlisted: true },
  settings: { path: '/settings', access: 'signed-in', file: 'pages/overview/settings.tsx' },
  operator: { path: '/operator', access: 'operator', file: 'pages/overview/operator.tsx' },
  extension: { path: '/extension', access: 'signed-in', file: 'pages/outreach/extension.tsx' },
} as const satisfies Record<string, Page>

export type PageName = keyof typeof allPages

/** Paths by page name: `paths.leads`. Fill in parameters with `generatePath`. */
export const paths = Object.fromEntries(
  Object.entries(allPages).map(([name, page]) => [name, page.path]),
) as unknown as { [K in PageName]: (typeof allPages)[K]['path'] }

/** The path of client reports without their secret token. They show the workspace's brand instead of ours. */
export const CLIENT_REPORTS = paths.report.replace(':token', '')

export function isClientReport(path: string): boolean {
  return path.startsWith(CLIENT_REPORTS)
}

/** A server path that redirects to the payment provider's page for a built-in plan. */
export function buyPath(planId: PlanId): string {
  return `/buy/${planId}`
}

/** Pages that run only the startup script for guests. Users with a stored session get the app. */
export const staticPages: readonly string[] = [paths.home, paths.privacy, paths.terms]

export const pages: readonly Page[] = Object.values(allPages)
