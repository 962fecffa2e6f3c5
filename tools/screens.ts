import type { Page } from 'playwright-core'

/** A screen to photograph. */
export interface Screen {
  /** With the query. `:campaignId` is the demo account's running campaign. */
  path: string
  /** Runs before the screenshot. */
  act?: (page: Page) => Promise<void>
  /** Captures the whole page instead of the viewport. */
  whole?: boolean
  /** Skipped at other widths, because it looks like another screen there. */
  only?: 'wide' | 'narrow'
}

const press = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).first().click()
const whole = true

/**
 * Every screen by area, keyed by file name. Guests' screens come first, before the demo account
 * logs in.
 */
export const SCREENS: Record<string, Record<string, Screen>> = {
  guests: {
    landing: { path: '/' },
    'landing-whole': { path: '/', whole },
    pricing: { path: '/pricing', whole },
    'pricing-yearly': { path: '/pricing', act: (page) => page.getByText('Yearly').first().click() },
    waitlist: { path: '/waitlist', whole },
    leaderboard: { path: '/leaderboard', whole },
    rankings: { path: '/rankings', whole },
    'sign-up': { path: '/auth', whole },
    login: { path: '/login', whole },
    'login-single-sign-on': { path: '/login', act: press('Continue with SSO') },
    'login-refused': {
      path: '/login',
      async act(page) {
        await page.getByLabel('Email').fill('nobody@x-automated.example')
        await page.getByLabel('Password', { exact: true }).fill('Not the password 1')
        await page.getByRole('button', { name: 'Log In' }).click()
        await page.getByText('Invalid email or password').waitFor()
      },
    },
    'confirm-email': { path: '/auth/confirm#0', whole },
    'confirm-email-no-link': { path: '/auth/confirm' },
    'forgot-password': { path: '/forgot-password', whole },
    'reset-password': { path: '/reset-password#token=0', whole },
    'reset-password-no-link': { path: '/reset-password' },
    'invitation-no-link': { path: '/invitation' },
    'waitlist-invalid-link': { path: '/waitlist?error=INVALID_CODE' },
    privacy: { path: '/privacy.html', whole },
    terms: { path: '/terms.html', whole },
    'not-found': { path: '/nothing-here' },
    widget: { path: '/embed' },
    menu: { path: '/', act: (page) => page.getByLabel('Open menu').click(), only: 'narrow' },
  },
  work: {
    dashboard: { path: '/dashboard', whole },
    connect: { path: '/twitter' },
    scraper: { path: '/twitter?tab=scraper' },
    messenger: { path: '/twitter?tab=messenger' },
    analytics: { path: '/twitter?tab=analytics' },
    'lead-lists': { path: '/twitter?tab=lists' },
    leads: { path: '/leads' },
    'leads-import': { path: '/leads', act: press('Import CSV') },
    lists: { path: '/lists' },
    'list-create': { path: '/lists', act: press('Create List') },
    campaigns: { path: '/campaigns' },
    'campaign-messages': { path: '/campaigns', act: press('View DMs') },
    campaign: { path: '/campaigns/:campaignId' },
  },
  account: {
    billing: { path: '/billing', whole },
    account: { path: '/account', whole },
    'profile-menu': { path: '/account', act: press('Profile menu'), only: 'wide' },
    menu: { path: '/account', act: press('Open menu'), only: 'narrow' },
    notifications: { path: '/account', act: press(/^Notifications/) },
    'settings-sending': { path: '/settings' },
    'settings-suppression-list': { path: '/settings?tab=suppression-list' },
    'settings-notifications': { path: '/settings?tab=notifications' },
    'settings-people': { path: '/settings?tab=people' },
    'settings-single-sign-on': { path: '/settings?tab=single-sign-on' },
    extension: { path: '/extension', whole },
  },
  operator: {
    operator: { path: '/operator' },
    'operator-held': { path: '/operator?tab=held' },
    'operator-members': { path: '/operator?tab=members' },
    'operator-views': { path: '/operator?tab=views' },
    'operator-webhooks': { path: '/operator?tab=webhooks' },
    'operator-log': { path: '/operator?tab=log' },
  },
}
