import type { Page } from 'playwright-core'

/** A screen to capture. */
export interface Screen {
  /** Path with its query. `:campaignId`, `:conversationId`, `:listId` and `:accountId` are ids of the demo account. */
  path: string
  /** Runs before the screenshot. */
  act?: (page: Page) => Promise<void>
  /** Captures the whole page instead of the viewport. */
  fullPage?: boolean
  /** Height of the viewport, for signed-in pages, which scroll inside it. */
  height?: number
  /** Captures the screen at this width only, because at other widths it looks like another screen. */
  only?: 'wide' | 'narrow'
}

const press = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).first().click()
const fullPage = true

/** Writes a campaign, unless the draft that an earlier picture wrote is restored. */
async function writeSequence(page: Page): Promise<void> {
  const isRestored = await page
    .getByText(/^Draft saved/)
    .waitFor({ timeout: 3_000 })
    .then(
      () => true,
      () => false,
    )
  if (!isRestored) await writeMessages(page)
  await page.getByText(/^The first \d+ messages$/).click()
}

async function writeMessages(page: Page): Promise<void> {
  await page.getByLabel('Campaign Name').fill('Founders, first hello')
  await page.getByLabel('Select Lead List').selectOption({ index: 2 })
  await page.getByLabel('Include leads contacted by other campaigns').check()
  await page.getByLabel('Message template').fill('Hi {first_name}, what are you building?')
  await page.getByRole('button', { name: 'Add variant' }).click()
  await page.getByLabel('Message template').fill('Hi {first_name}, may I show you how others find users?')
  await page.getByRole('button', { name: 'Add follow-up' }).click()
  await page.getByLabel('Follow-up', { exact: true }).fill('One more thought, {first_name}. Shall I send it?')
  await page.getByText(/^Draft saved/).waitFor()
}

async function editFirstMessage(page: Page): Promise<void> {
  await page.getByLabel('Message template').fill('Hi {first_name}, may I ask you two questions?')
  await page.getByText(/^This reaches/).waitFor()
}

async function writeDrafts(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'AI', exact: true }).first().click()
  await page.getByRole('button', { name: 'Write with AI' }).click()
  await page.getByRole('button', { name: 'Write three drafts' }).click()
  await page
    .getByRole('button', { name: /^Use this draft/ })
    .nth(2)
    .waitFor()
}

/** Shows every verdict that a variant test can have, one per step. */
async function showVerdicts(page: Page): Promise<void> {
  const figures = { isActive: true, read: 180, replied: 40, failed: 0, skipped: 0 }
  const results = (optedOut: number, positive = 32) => [
    { ...figures, id: 'a', name: 'A', sent: 412, positive: positive && 13, optedOut: 4 },
    { ...figures, id: 'b', name: 'B', sent: 405, positive, optedOut },
  ]
  const verdict = { status: 'collecting', variantId: null, evidence: 3.2, evidenceNeeded: 20, estimatedDays: null }
  const decided = { ...verdict, variantId: 'b', evidence: 41 }
  const steps = [
    { verdict: { ...verdict, evidence: 1 }, variants: results(3, 0) },
    { verdict: { ...verdict, estimatedDays: 9 }, variants: results(3) },
    { verdict, variants: results(3) },
    { verdict: { ...decided, status: 'winner' }, variants: results(3) },
    { verdict: { ...decided, status: 'mixed' }, variants: results(16) },
    { verdict: { ...verdict, status: 'no_difference' }, variants: results(3, 14) },
    { verdict: null, isSplitOff: true, variants: results(3) },
    { verdict: null, allocation: 'adaptive', variants: results(3) },
  ].map((step, index) => ({
    id: String(index),
    number: index + 1,
    kind: 'step',
    allocation: 'weights',
    isSplitOff: false,
    ...step,
  }))
  await page.route('**/api/campaigns/*/results', (route) => route.fulfill({ json: { steps } }))
  await page.reload()
  await page.getByRole('heading', { name: 'A/B test, follow-up 6' }).waitFor()
  await page.unroute('**/api/campaigns/*/results')
}

/** Shares this month's report and opens it. */
async function openReport(page: Page): Promise<void> {
  const url = await page.evaluate(`(async () => {
    const headers = { authorization: 'Bearer ' + localStorage.authToken, 'content-type': 'application/json' }
    const body = JSON.stringify({ kind: 'month', month: new Date().toISOString().slice(0, 7), includesPeople: true })
    return (await (await fetch('/api/reports', { method: 'POST', headers, body })).json()).url
  })()`)
  await page.goto(String(url))
  await page.getByRole('heading', { name: 'Messages by day' }).waitFor()
}

/** Every screen by area, keyed by file name. Guest screens come first, before the demo account logs in. */
export const SCREENS: Record<string, Record<string, Screen>> = {
  guests: {
    landing: { path: '/' },
    'landing-whole': { path: '/', fullPage },
    pricing: { path: '/pricing', fullPage },
    'pricing-yearly': { path: '/pricing', act: (page) => page.getByText('Yearly').first().click() },
    waitlist: { path: '/waitlist', fullPage },
    leaderboard: { path: '/leaderboard', fullPage },
    rankings: { path: '/rankings', fullPage },
    'sign-up': { path: '/auth', fullPage },
    login: { path: '/login', fullPage },
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
    'confirm-email': { path: '/auth/confirm#0', fullPage },
    'confirm-email-no-link': { path: '/auth/confirm' },
    'forgot-password': { path: '/forgot-password', fullPage },
    'reset-password': { path: '/reset-password#token=0', fullPage },
    'reset-password-no-link': { path: '/reset-password' },
    'invitation-no-link': { path: '/invitation' },
    'waitlist-invalid-link': { path: '/waitlist?error=INVALID_CODE' },
    privacy: { path: '/privacy.html', fullPage },
    terms: { path: '/terms.html', fullPage },
    help: { path: '/help', fullPage },
    changelog: { path: '/changelog', fullPage },
    'not-found': { path: '/nothing-here' },
    widget: { path: '/embed' },
    menu: { path: '/', act: (page) => page.getByLabel('Open menu').click(), only: 'narrow' },
  },
  work: {
    dashboard: { path: '/dashboard', fullPage },
    inbox: { path: '/inbox' },
    conversation: { path: '/inbox/:conversationId' },
    'conversation-snooze': { path: '/inbox/:conversationId', act: press('Snooze') },
    connect: { path: '/twitter' },
    scraper: { path: '/twitter?tab=scraper' },
    messenger: { path: '/twitter?tab=messenger' },
    analytics: { path: '/twitter?tab=analytics' },
    'analytics-compare': {
      path: '/twitter?tab=analytics',
      act: (page) => page.getByRole('heading', { name: 'Compare' }).evaluate((node: Element) => node.scrollIntoView()),
    },
    'client-report': { path: '/r/:token', act: openReport, fullPage },
    'lead-lists': { path: '/twitter?tab=lists' },
    leads: { path: '/leads' },
    'leads-import': { path: '/leads', act: press('Import CSV') },
    lists: { path: '/lists' },
    'list-create': { path: '/lists', act: press('Create List') },
    list: { path: '/lists/:listId' },
    account: { path: '/accounts/:accountId' },
    campaigns: { path: '/campaigns' },
    'campaign-builder': { path: '/campaigns', act: writeSequence, height: 1_400 },
    'campaign-new': { path: '/campaigns/new', act: writeSequence },
    'campaign-messages': { path: '/campaigns', act: press('View DMs') },
    campaign: { path: '/campaigns/:campaignId' },
    'campaign-whole': { path: '/campaigns/:campaignId', height: 1_900 },
    'campaign-openers': { path: '/campaigns/:campaignId/openers' },
    'campaign-write': { path: '/campaigns/:campaignId/edit', act: writeDrafts },
    'campaign-steps': { path: '/campaigns/:campaignId/steps', act: editFirstMessage, height: 1_100 },
    'campaign-people': { path: '/campaigns/:campaignId', act: press('All people') },
    'campaign-verdicts': { path: '/campaigns/:campaignId', act: showVerdicts, height: 3_800 },
    templates: { path: '/templates', fullPage },
    'template-create': { path: '/templates', act: press('New template') },
  },
  account: {
    billing: { path: '/billing', fullPage },
    account: { path: '/account', fullPage },
    'profile-menu': { path: '/account', act: press('Profile menu'), only: 'wide' },
    menu: { path: '/account', act: press('Open menu'), only: 'narrow' },
    notifications: { path: '/account', act: press(/^Notifications/) },
    'settings-sending': { path: '/settings' },
    'settings-x-costs': { path: '/settings?tab=x-costs' },
    'settings-inbox': { path: '/settings?tab=inbox' },
    'settings-ai-writer': { path: '/settings?tab=ai-writer', fullPage },
    'settings-suppression-list': { path: '/settings?tab=suppression-list' },
    'settings-notifications': { path: '/settings?tab=notifications' },
    'settings-team': { path: '/settings?tab=team', fullPage },
    'settings-single-sign-on': { path: '/settings?tab=single-sign-on' },
    'settings-api': { path: '/settings?tab=api' },
    extension: { path: '/extension', fullPage },
  },
  operator: {
    operator: { path: '/operator' },
    'operator-held': { path: '/operator?tab=held' },
    'operator-members': { path: '/operator?tab=members' },
    'operator-views': { path: '/operator?tab=views' },
    'operator-webhooks': { path: '/operator?tab=webhooks' },
    'operator-x-credits': { path: '/operator?tab=x-credits' },
    'operator-x': { path: '/operator?tab=x' },
    'operator-log': { path: '/operator?tab=log' },
  },
}
