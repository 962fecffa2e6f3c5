import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  expectSoundPage,
  openWorld,
  refuse,
  type SignedUp,
  signUp,
  stopClock,
  tickUntil,
  type World,
} from '../world.ts'

let world: World
let ada: SignedUp
beforeAll(async () => {
  world = await openWorld()
  ada = await signUp(world, 'ada@example.com')
})

const slowText = 'This is taking longer than expected. Please wait a moment or try refreshing the page.'

/** Sets a mark that a reload removes. */
const mark = (page: Page) => page.evaluate('marked = true')
/**
 * Polled from outside, because the content security policy and the reload stop polling in the page.
 */
const isReloaded = (page: Page) =>
  expect.poll(() => page.evaluate('typeof marked').catch(() => 'reloading'), { timeout: 120_000 }).toBe('undefined')

describe('the session, in a browser', () => {
  it('loads, reports slow loading, and redirects guests to /login', async () => {
    expect(await (await fetch(`${world.origin}/dashboard`)).text()).toContain('Initializing application...')

    const page = await world.openPage({ width: 390, height: 844, dark: true })
    await page.clock.install()
    world.expectConsole(/status of 401/)
    const held = Promise.withResolvers<void>()
    await page.route('**/api/me', async (route) => {
      await held.promise
      await refuse(route, 401, 'UNAUTHORIZED', 'Session expired. Please log in again.')
    })
    await page.goto('/forgot-password')
    await page.evaluate(() => localStorage.setItem('authToken', 'opaque'))
    for (const [path, slowAfterMs] of [
      ['/dashboard', 2000],
      ['/twitter', 3000],
    ] as const) {
      // Stop the clock, also for the next page.
      await stopClock(page)
      await page.goto(path)
      await tickUntil(page, page.getByText('Loading dashboard...'))
      await page.clock.runFor(slowAfterMs - 500)
      expect(await page.getByText(slowText).count(), `${path}, too early`).toBe(0)
      await page.clock.runFor(600)
      await page.getByText(slowText, { exact: true }).waitFor()
      await page.clock.resume()
      await expectSoundPage(page)
    }
    await page.goto('/lists')
    await page.getByText('Loading user session...').waitFor()
    held.resolve()
    await page.waitForURL('**/login')
    expect(await page.evaluate(() => localStorage.getItem('authToken'))).toBeNull()
  })

  it('keeps a menu open that was opened while the page was loading', async () => {
    const page = await world.openPage()
    await ada.enter(page)
    const held = Promise.withResolvers<void>()
    await page.route(/\/assets\/dashboard-/, async (route) => {
      await held.promise
      await route.continue()
    })
    await page.goto('/dashboard')
    await page.getByRole('button', { name: 'Profile menu' }).click()
    await page.getByRole('menuitem', { name: 'Account' }).waitFor()
    await page.getByText('Initializing application...').waitFor()
    held.resolve()
    await page.getByRole('heading', { name: 'Dashboard', includeHidden: true }).waitFor()
    await page.getByRole('menuitem', { name: 'Account' }).click()
    await page.waitForURL('**/account')
    // Close this page, because the next test's page continues the session.
    await page.context().close()
  })

  it('reports slow or missing scripts and offers to reload', async () => {
    let page = await world.openPage({ width: 390, height: 844 })
    await ada.enter(page)
    await page.clock.install()
    await stopClock(page)
    const scripts = '**/assets/*.js'
    let heading = page.getByRole('heading', { name: 'Dashboard' })
    // Without the attribute, the text is visible too, until the styles have loaded.
    const lateAlert = () => page.locator('html[data-late]').getByRole('alert').filter({ hasText: /\S/ })
    let alert = lateAlert()
    const held = Promise.withResolvers<void>()
    await page.route(scripts, async (route) => {
      await held.promise
      await route.continue()
    })
    await page.goto('/dashboard', { waitUntil: 'commit' })
    await page.getByText('Initializing application...').waitFor()
    expect(await alert.count()).toBe(0)
    await page.clock.fastForward(10_000)
    await page.clock.resume()
    await alert.getByText('This page is taking longer than expected. Please check your connection.').waitFor()
    await alert.getByRole('link', { name: 'Reload the page' }).waitFor()
    held.resolve()
    await heading.waitFor()
    expect(await alert.count()).toBe(0)

    // If entry.client.tsx has given up, the page isn't just slow.
    await page.unroute(scripts)
    await page.route(scripts, () => {})
    await page.goto('/dashboard', { waitUntil: 'commit' })
    await page.getByText('Initializing application...').waitFor()
    await page.evaluate(() => {
      document.documentElement.dataset.late = 'broken'
    })
    await page.clock.fastForward(10_000)
    await alert.getByText("This page didn't load. Check your connection, then reload it.").waitFor()

    // With an installed clock, a page cannot detect a reload.
    await page.context().close()
    page = await world.openPage({ width: 390, height: 844 })
    await ada.enter(page)
    heading = page.getByRole('heading', { name: 'Dashboard' })
    alert = lateAlert()
    for (const missing of [scripts, '**/assets/entry.client-*.js']) {
      world.expectConsole(/ERR_FAILED|dynamically imported module/)
      await page.route(missing, (route) => route.abort())
      await page.goto('/dashboard', { waitUntil: 'commit' })
      await alert.getByText("This page didn't load. Check your connection, then reload it.").waitFor()
      await expectSoundPage(page)
      await page.unroute(missing)
      await alert.getByRole('link', { name: 'Reload the page' }).click()
      await heading.waitFor()
      expect(await alert.count()).toBe(0)
    }
    // If the page's own script is missing, React Router reloads the page until it arrives.
    world.expectConsole(/Error loading route module/)
    let loads = 0
    page.on('framenavigated', () => {
      loads += 1
    })
    await page.route('**/assets/dashboard-*.js', (route) => route.abort())
    await page.goto('/dashboard', { waitUntil: 'commit' })
    await expect.poll(() => loads).toBeGreaterThan(1)
    await page.unroute('**/assets/dashboard-*.js')
    await heading.waitFor()
    expect(await alert.count()).toBe(0)
    await page.context().close()
  })

  it('loads after several pages were left before their scripts had loaded, and after a reload of a broken page', async () => {
    const page = await world.openPage()
    await ada.enter(page)
    const scripts = '**/assets/*.js'
    await page.route(scripts, () => {})
    for (const path of ['/dashboard', '/leads', '/lists', '/campaigns', '/billing'])
      await page.goto(path, { waitUntil: 'commit' })
    await page.unroute(scripts)
    await page.goto('/dashboard')
    await page.getByRole('heading', { name: 'Dashboard' }).waitFor()

    world.expectConsole(/ERR_FAILED|dynamically imported module|Error loading route module/)
    await page.route(scripts, (route) => route.abort())
    await page.goto('/dashboard', { waitUntil: 'commit' })
    await page.getByText("This page didn't load.").waitFor()
    await page.unroute(scripts)
    await page.reload()
    await page.getByRole('heading', { name: 'Dashboard' }).waitFor()
  })

  it('refreshes its token, is checked after a reload, and is shared by all tabs', async () => {
    const page = await world.openPage()
    await page.clock.install()
    await ada.enter(page)
    await page.goto('/leads')
    await page.getByRole('heading', { name: 'Twitter Leads' }).waitFor()

    // The token is checked every 30 seconds and refreshed within 15 minutes.
    const token = () => page.evaluate(() => localStorage.getItem('authToken'))
    const before = await token()
    const renewed = page.waitForResponse('**/api/auth/refresh')
    await page.clock.fastForward(14 * 60_000)
    await page.clock.runFor(30_000)
    await (await renewed).finished()
    await page.waitForFunction((old) => localStorage.getItem('authToken') !== old, before)

    // 100 ms after a reload, the app returns to the last page. Uses a real clock to detect the reload.
    const again = await world.openPage()
    await again.goto('/leaderboard')
    const storage = await page.evaluate(() => ({ ...localStorage }))
    await again.evaluate((stored) => Object.assign(localStorage, stored), storage)
    await again.goto('/leads')
    await again.getByRole('heading', { name: 'Twitter Leads' }).waitFor()
    await again.evaluate(() => addEventListener('pagehide', () => sessionStorage.setItem('lastVisitedPath', '/lists')))
    await again.reload()
    await again.waitForURL('**/lists')
    await again.reload()
    await again.getByRole('heading', { name: 'My Lists' }).waitFor()
    expect(new URL(again.url()).pathname).toBe('/lists')

    // Signing out ends the session. If a session is stored within 100 ms, a reload picks it up.
    world.expectConsole(/status of 401/)
    const other = await page.context().newPage()
    await other.goto('/dashboard')
    await other.getByRole('button', { name: 'Sign Out' }).waitFor()
    await mark(other)
    await other.evaluate(() => {
      const { authToken, refreshToken, authUser } = localStorage
      ;[...document.querySelectorAll('button')].find((button) => button.innerText === 'Sign Out')?.click()
      Object.assign(localStorage, { authToken, refreshToken, authUser })
    })
    await other.clock.runFor(100)
    await isReloaded(other)

    // Clearing the storage reloads all other tabs. This one may be reloading already.
    await expect.poll(() => page.goto('/leaderboard').catch(() => null)).not.toBeNull()
    await page.waitForLoadState('networkidle')
    await mark(page)
    const clearStorage = () =>
      other.evaluate(() => {
        // Other tabs are notified only if something was cleared.
        localStorage.setItem('anything', '1')
        localStorage.clear()
      })
    // Try repeatedly: on a busy machine, the page may not be listening yet.
    const stateAfterClearing = async () => {
      await clearStorage()
      return page.evaluate('typeof marked').catch(() => 'reloading')
    }
    await expect.poll(stateAfterClearing, { timeout: 120_000, interval: 500 }).toBe('undefined')
    // From now on, requests of other tabs are rejected.
    for (const tab of [page, again]) await tab.context().close()
  })

  it('stays on its page if another one is opened offline', async () => {
    const page = await world.openPage()
    await (await signUp(world, 'grace@example.com')).enter(page)
    await page.goto('/lists')
    // The first toast loads the code for all toasts.
    await page.getByRole('button', { name: 'Create List' }).click()
    await page.getByLabel('List name').fill('Made online')
    await page.keyboard.press('Enter')
    await page.getByText('List “Made online” created.').waitFor()
    world.expectConsole(/Failed to load resource/)
    await page.context().setOffline(true)
    const leads = page.getByRole('link', { name: 'Leads', exact: true })
    await leads.click()
    await page.getByText("You're offline. Open this page once you're connected.").waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('c')
    await expect.poll(() => page.getByText("You're offline.").count()).toBe(2)
    await page.getByRole('heading', { name: 'My Lists' }).waitFor()
    await page.context().setOffline(false)
    await leads.click()
    await page.getByRole('heading', { name: 'Twitter Leads' }).waitFor()
  })

  it('says on the login page that the session expired', async () => {
    const page = await world.openPage()
    await (await signUp(world, 'mary@example.com')).enter(page)
    await page.goto('/lists')
    await page.getByRole('heading', { name: 'My Lists' }).waitFor()
    world.expectConsole(/status of 401/)
    await page.route('**/api/leads?*', (route) => refuse(route, 401, 'UNAUTHORIZED', 'Session expired.'))
    await page.evaluate(() => localStorage.setItem('refreshToken', 'ended'))
    await page.getByRole('link', { name: 'Leads', exact: true }).click()
    await page.waitForURL('**/login')
    await page.getByText('Session expired. Please log in again.').waitFor()
  })

  it('loads every page on repeated visits', async () => {
    const page = await world.openPage()
    // For everyone but operators, the operator page is a 404, without the signed-in layout.
    for (let times = 0; times < 5; times += 1) {
      await page.goto('/operator')
      await page.getByRole('heading', { name: '404 - Page Not Found' }).waitFor()
    }
  })

  it('shows the not-found page and the error page', async () => {
    const page = await world.openPage({ width: 390, height: 844 })
    world.expectConsole(/status of 404/)
    const response = await page.goto('/nowhere')
    expect(response?.status()).toBe(404)
    await page.getByRole('heading', { name: '404 - Page Not Found' }).waitFor()
    await expectSoundPage(page)
    expect(await page.locator('meta[name="robots"]').getAttribute('content')).toBe('noindex')
    const support = page.getByRole('main').getByRole('link', { name: 'Contact support' })
    expect(await support.getAttribute('href')).toMatch(/^mailto:/)
    await page.getByRole('link', { name: 'Back to Home' }).click()
    await page.getByRole('heading', { name: 'Automate your X outreach with AI' }).waitFor()

    // The footer has three share links, and no dead ones.
    const foot = page.getByRole('contentinfo')
    await foot.getByText('© 2024').waitFor()
    const home = encodeURIComponent(`${world.origin}/`)
    const shared = await foot
      .getByRole('listitem')
      .getByRole('link')
      .evaluateAll((links) => links.map((a) => a.getAttribute('href')))
    expect(shared).toHaveLength(3)
    for (const href of shared) expect(href).toContain(`=${home}`)
    for (const [name, path] of [
      ['Privacy Policy', '/privacy.html'],
      ['Terms of Service', '/terms.html'],
    ] as const) {
      await page.getByRole('contentinfo').getByRole('link', { name }).click()
      await page.getByRole('heading', { name, level: 1 }).waitFor()
      expect(new URL(page.url()).pathname).toBe(path)
      expect(await page.getByText('support@x-automated.example').count()).toBe(0)
      await expectSoundPage(page)
      await page.goto(path.replace('.html', ''))
      await page.getByRole('heading', { name, level: 1 }).waitFor()
      expect(new URL(page.url()).pathname).toBe(path)
    }
    await page.goto('/')

    world.expectConsole(/a broken screen/)
    await page.route('**/assets/rankings-*.js', (route) =>
      route.fulfill({
        contentType: 'text/javascript',
        body: 'export default function Broken() { throw new Error("a broken screen") }',
      }),
    )
    await page.goto('/leaderboard')
    await page.goto('/rankings')
    await page.getByRole('heading', { name: 'Unexpected Application Error!' }).waitFor()
    expect(await support.getAttribute('href')).toMatch(/^mailto:/)
    await expectSoundPage(page)
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
    await expectSoundPage(page, ['color-contrast'])
  })
})
