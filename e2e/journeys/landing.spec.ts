import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page, Request } from 'playwright-core'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { expectSoundPage, openWorld, PASSWORD, signUp, type World } from '../world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ SUPPORT_EMAIL: 'people@x-automated.test' })
})

const HEADLINE = 'Automate your X outreach with AI'
const QUESTIONS = [
  'How long does it take to set up?',
  'Is there a free tier?',
  'Is my X account safe?',
  'What happens when someone replies or opts out?',
  'What do you store, and can I export it?',
]
/** Pages that hydrate normally. */
const HYDRATED = ['/pricing', '/waitlist', '/login', '/auth', '/forgot-password', '/rankings', '/nothing-here']
/** Maximum size of the landing page's scripts for guests, in bytes. */
const LANDING_BYTES_MAX = 10_000
/** Maximum size of the scripts of the finder's demo, in bytes. */
const DEMO_BYTES_MAX = 15_000
/** Maximum size of the scripts of the first signed-in page, in bytes. */
const SIGNED_IN_BYTES_MAX = 200_000
/** An invisible layout shift, which is allowed because glyphs differ slightly until the font has loaded. */
const LAYOUT_SHIFT_MAX = 0.001
/** Number of pieces of the landing page's HTML, split at closing tags. They more than fill the first screen. */
const PIECES = 250
/** Maximum relative change in the height of long texts: some lines wrap differently in the fallback font. */
const DOCUMENT_HEIGHTS_DIFFER_MAX = 0.02

/** Counts a page's requests. */
function watchRequests(page: Page): { scripts(): Promise<number>; views: string[] } {
  const scripts: Request[] = []
  const views: string[] = []
  page.on('requestfinished', (request) => {
    if (request.resourceType() === 'script') scripts.push(request)
  })
  page.on('request', (request) => {
    if (request.url().endsWith('/api/track-view')) views.push(request.postData() ?? '')
  })
  return {
    views,
    /** Returns the size of the loaded scripts after compression, in bytes. */
    async scripts() {
      const sizes = await Promise.all(scripts.map((request) => request.sizes()))
      return sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0)
    },
  }
}

/** Returns the size of the page's inline scripts before compression, in bytes. */
const inlineBytes = (page: Page) =>
  page.evaluate(() =>
    [...document.scripts]
      .filter(({ src, type }) => !src && (type === '' || type === 'module'))
      .reduce((sum, { text }) => sum + text.length, 0),
  )

/** Returns the cumulative layout shift. https://web.dev/articles/cls */
const layoutShift = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let sum = 0
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) sum += (entry as PerformanceEntry & { value: number }).value
        }).observe({ type: 'layout-shift', buffered: true })
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)))
      }),
  )

/** Serves the landing page from another origin, slowly and in pieces, starting at its headline. */
async function openSlowOrigin(): Promise<string> {
  const html = await (await fetch(world.origin)).text()
  const start = html.indexOf('<h1')
  const server = createServer(async (request, response) => {
    if (request.url !== '/') return response.writeHead(404).end()
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    response.write(html.slice(0, start))
    // Let the browser paint everything above the headline first.
    await new Promise((resolve) => setTimeout(resolve, 500))
    for (const piece of html
      .slice(start)
      .split(/(?<=<\/[^>]+>)/)
      .slice(0, PIECES)) {
      response.write(piece)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    response.end()
  }).listen(0, 'localhost')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `http://localhost:${(server.address() as AddressInfo).port}/`
}

/** Returns the referral code of a member, who joins first if necessary. */
async function codeOf(email: string): Promise<string> {
  const joined = await fetch(`${world.origin}/api/waitlist/join`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email }),
  })
  return ((await joined.json()) as { referralCode: string }).referralCode
}

describe('the landing page', () => {
  it('causes no layout shift while its HTML arrives slowly', async () => {
    world.expectConsole(/status of 404/)
    const page = await world.openPage()
    await page.goto(await openSlowOrigin())
    expect(await layoutShift(page)).toBeLessThan(LAYOUT_SHIFT_MAX)
  })

  it('works with very little script, and never loads the app for guests', async () => {
    const referralCode = await codeOf('friend@example.com')
    const page = await world.openPage()
    const requests = watchRequests(page)
    await page.goto(`/?ref=${referralCode}`)
    await page.waitForLoadState('networkidle')
    await expectSoundPage(page)
    expect(await layoutShift(page)).toBeLessThan(LAYOUT_SHIFT_MAX)
    expect((await requests.scripts()) + (await inlineBytes(page))).toBeLessThan(LANDING_BYTES_MAX)
    await expect.poll(() => requests.views.map((view) => JSON.parse(view))).toEqual([{ path: '/', ref: referralCode }])

    for (const text of [
      '327',
      '43%',
      '18',
      'GDPR compliant',
      'Secure data',
      'Regular updates',
      '15+ hours',
      '3x higher',
    ])
      await page.getByText(text, { exact: true }).waitFor()
    const support = page.getByRole('link', { name: '24/7 support' })
    expect(await support.getAttribute('href')).toBe('mailto:people@x-automated.test')
    for (const name of ['Sign Up Now', 'Join the early access list now!'])
      expect(await page.getByRole('link', { name }).getAttribute('href')).toBe(`/auth?ref=${referralCode}`)
    const toWaitlist = page.getByRole('link', { name: 'Get your referral link' })
    expect(await toWaitlist.getAttribute('href')).toBe(`/waitlist?ref=${referralCode}`)
    const share = await page.locator('meta[property="og:image"]').getAttribute('content')
    expect((await fetch(share ?? '')).headers.get('content-type')).toBe('image/png')
    const structured = await page.locator('script[type="application/ld+json"]').textContent()
    expect((JSON.parse(structured ?? '') as { mainEntity: { name: string }[] }).mainEntity.map((q) => q.name)).toEqual(
      QUESTIONS,
    )

    const dark = page.getByRole('radio', { name: 'Dark theme' })
    await dark.click()
    await page.locator('html[data-theme="dark"]').waitFor()
    await expectSoundPage(page)
    await page.getByText('Is there a free tier?').click()
    // The finder's demo is the only script. It loads when it scrolls into view.
    const least = page.getByLabel('At least')
    await page.getByRole('heading', { name: 'Aim before you write' }).scrollIntoViewIfNeeded()
    await least.focus()
    await page.getByText(/^\d+ of 240 sample people match$/).waitFor()
    const before = await page.getByText(/sample people match$/).innerText()
    await page.keyboard.press('End')
    await expect.poll(() => page.getByText(/sample people match$/).innerText()).not.toBe(before)
    await page.getByText('Widen the range to see a message.').waitFor()
    await page.keyboard.press('Home')
    const founder = page.getByLabel(/^founder/)
    const matchCount = page.getByText(/sample people match$/)
    const all = await matchCount.innerText()
    await founder.press('Space')
    const required = await matchCount.innerText()
    expect(required).not.toBe(all)
    await founder.press('Space')
    await page.getByLabel(/^founder.*excluded$/).waitFor()
    expect(await matchCount.innerText()).not.toBe(required)
    await page.getByLabel('@figma').press('Space')
    await expect.poll(() => page.getByText('@figma', { exact: true }).count()).toBe(2)
    await expectSoundPage(page)
    const demoBytes = await requests.scripts()
    expect(demoBytes).toBeGreaterThan(0)
    expect(demoBytes).toBeLessThan(DEMO_BYTES_MAX)
    await page.reload()
    await page.locator('html[data-theme="dark"]').waitFor()
    expect(await dark.isChecked()).toBe(true)
    await page.getByRole('link', { name: 'Join the early access list now!' }).click()
    await page.getByText("You were referred by a friend! You'll both get priority access.").waitFor()
    expect(new URL(page.url()).search).toBe(`?ref=${referralCode}`)
    // Once the app runs on this page, its links contain the code. The app announces the pages that it
    // opens.
    const toLogin = page.getByRole('link', { name: 'Already have an account? Log in' })
    await expect.poll(() => toLogin.getAttribute('href')).toBe(`/login?ref=${referralCode}`)
    await toLogin.click()
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Welcome Back')
    // Every page is counted once per visit.
    await expect.poll(() => requests.views.length).toBe(4)
  })

  it.each([
    [
      '/',
      'before it has loaded completely',
      () => {
        const sought = new MutationObserver(() => {
          const link = document.querySelector<HTMLElement>('main a[href="/auth"]')
          if (!link || location.pathname !== '/') return
          sought.disconnect()
          link.click()
        })
        sought.observe(document, { childList: true, subtree: true })
      },
    ],
    [
      '/pricing',
      'during hydration',
      () => {
        // React hydrates without the URL's query.
        window.BroadcastChannel = class extends BroadcastChannel {
          constructor(name: string) {
            super(name)
            if (name === 'x-automated-data')
              queueMicrotask(() => document.querySelector<HTMLElement>('main a[href^="/auth"]')?.click())
          }
        }
      },
    ],
  ])('keeps the referral code on a link of %s that is clicked %s', async (path, _, press) => {
    const page = await world.openPage()
    await page.addInitScript(press)
    const code = await codeOf('friend@example.com')
    const led = page.waitForURL(`**/auth?ref=${code}`)
    await page.goto(`${path}?ref=${code}`, { waitUntil: 'commit' })
    await led
    await page.getByText("You were referred by a friend! You'll both get priority access.").waitFor()
  })

  it.each([
    ['/auth', 'New features open to you one release early, from the next release on.'],
    ['/waitlist', 'A friend invited you. When you join, they move up 5 spots.'],
  ])('shows on %s that a friend referred the visitor, without layout shift', async (path, notice) => {
    const page = await world.openPage({ width: 390, height: 844 })
    await page.goto(`${path}?ref=${await codeOf('friend@example.com')}`)
    await page.getByText(notice).waitFor()
    await page.waitForLoadState('networkidle')
    expect(await layoutShift(page)).toBeLessThan(LAYOUT_SHIFT_MAX)
    // The notice stays hidden without a code, and for unknown codes.
    for (const other of [path, `${path}?ref=ABC234`]) {
      await page.goto(other)
      expect(await page.getByText(notice).isVisible()).toBe(false)
      await page.getByLabel('Email').focus()
      await page.getByText(notice).waitFor({ state: 'detached' })
    }
  })

  it('keeps the referral code on every path between public pages', async () => {
    const page = await world.openPage()
    await page.goto('/auth?ref=ABC234')
    const on = async (name: string, path: string) => {
      await page.getByRole('link', { name, exact: true }).click()
      await page.waitForURL(`${path}?ref=ABC234`)
    }
    await on('Already have an account? Log in', '/login')
    await on('Forgot password?', '/forgot-password')
    await on('Back to login', '/login')
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Leaderboard' }).click()
    await on('Get your referral link', '/waitlist')
    await on('Check your ranking', '/rankings')
  })

  it('fits a phone and has a skip link and a menu for keyboards', async () => {
    const page = await world.openPage({ width: 390, height: 844, dark: true })
    await page.goto('/')
    await page.waitForLoadState('networkidle')
    await expectSoundPage(page)
    expect(await layoutShift(page)).toBeLessThan(LAYOUT_SHIFT_MAX)
    const focused = () => page.evaluate(() => document.activeElement?.ariaLabel || document.activeElement?.textContent)
    await page.keyboard.press('Tab')
    expect(await focused()).toBe('Skip to content')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('content')
    for (const name of ['Open menu', 'X-Automated']) {
      await page.keyboard.press('Shift+Tab')
      expect(await focused()).toBe(name)
    }
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    const menu = page.getByRole('navigation', { name: 'Menu' })
    await menu.waitFor()
    await expectSoundPage(page)
    await page.keyboard.press('Tab')
    expect(await focused()).toBe('Home')
    await page.keyboard.press('Escape')
    await menu.waitFor({ state: 'hidden' })
    await expect.poll(focused).toBe('Open menu')
    await page.keyboard.press('Enter')
    await page.getByText('Messages sent').first().click()
    await menu.waitFor({ state: 'hidden' })
    await page.getByLabel('Open menu').click()
    await menu.getByRole('link', { name: 'Leaderboard' }).press('Enter')
    await page.getByRole('heading', { name: 'X-Automated Referral Leaderboard' }).waitFor()
    // In the app, too, the menu closes when another page opens.
    await page.getByText(/on this leaderboard|No data for this time period yet/).waitFor()
    await page.getByLabel('Open menu').click()
    await menu.getByRole('link', { name: 'Pricing' }).click()
    await page.getByRole('heading', { name: 'Choose Your Plan' }).waitFor()
    await menu.waitFor({ state: 'hidden' })
  })

  it('links to documents without layout shift when the font loads', async () => {
    const page = await world.openPage({ width: 390, height: 844 })
    await page.goto('/privacy.html')
    const height = () => page.evaluate(() => document.fonts.ready.then(() => document.body.scrollHeight))
    const initial = await height()
    // Until the font has loaded, text is shown as if the first font in the list were missing.
    await page.evaluate(() => {
      const { style } = document.documentElement
      style.fontFamily = getComputedStyle(document.documentElement).fontFamily.replace(/^[^,]+, /, '')
    })
    const before = await height()
    expect(before).not.toBe(initial)
    expect(Math.abs(before - initial) / initial).toBeLessThan(DOCUMENT_HEIGHTS_DIFFER_MAX)
    // The footer's parts share one left edge.
    const edges = await page
      .locator('footer > div > *')
      .evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().left))
    expect(new Set(edges).size).toBe(1)
  })

  it('works without JavaScript, even on a phone', async () => {
    const page = await world.openPage({ width: 390, height: 844, script: false })
    await page.goto('/')
    await page.getByLabel('Open menu').click()
    for (const name of ['Home', 'Pricing', 'Leaderboard', 'Sign In'])
      expect(
        await page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name, exact: true }).isVisible(),
      ).toBe(true)
    // Controls that need script are hidden.
    await expect.poll(() => page.getByRole('button').count()).toBe(0)
    expect(await page.getByRole('radio').count()).toBe(0)
    await page.getByRole('heading', { name: HEADLINE }).waitFor()
    const answers = page.locator('details p')
    expect(await answers.count()).toBe(QUESTIONS.length)
    for (const question of QUESTIONS) await page.getByText(question, { exact: true }).click()
    // Each answer opens without affecting the others.
    for (const answer of await answers.all()) expect(await answer.isVisible()).toBe(true)
    await page.getByText('Is there a free tier?').click()
    expect(await Promise.all((await answers.all()).map((answer) => answer.isVisible()))).toEqual(
      QUESTIONS.map((question) => question !== 'Is there a free tier?'),
    )
    const shared = await page.getByRole('link', { name: 'Share X-Automated on X' }).getAttribute('href')
    expect(shared).toContain(encodeURIComponent(`${world.origin}/`))
    await page.getByRole('link', { name: 'Join the early access list now!' }).click()
    await page.getByRole('heading', { name: 'Create an Account' }).waitFor()
    // Forms say that they need JavaScript, and have no button.
    await page.getByText('This form needs JavaScript.').waitFor()
    // Text may appear before styles.
    await expect.poll(() => page.getByRole('button').count()).toBe(0)
    // A submitted form redirects back to its page.
    await page.getByLabel('Email').fill('ada@example.com')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    const sent = page.waitForResponse((response) => response.request().method() === 'POST')
    const loaded = page.waitForEvent('load')
    await page.keyboard.press('Enter')
    expect((await sent).status()).toBe(303)
    await loaded
    await page.getByRole('heading', { name: 'Create an Account' }).waitFor()
    expect(page.url()).toBe(`${world.origin}/auth`)
  })

  it('says on every page what needs JavaScript', async () => {
    const page = await world.openPage({ width: 390, height: 844, script: false })
    for (const [path, what] of [
      ['/login', 'This form'],
      ['/auth', 'This form'],
      ['/forgot-password', 'This form'],
      ['/reset-password', 'This form'],
      ['/auth/confirm', 'This form'],
      ['/invitation', 'This form'],
      ['/waitlist', 'This form'],
      ['/rankings', 'This form'],
      ['/embed', 'This form'],
      ['/leaderboard', 'The leaderboard'],
      ['/auth/callback', 'This page'],
      ['/dashboard', 'This page'],
    ] as const) {
      await page.goto(path)
      await page.getByText(`${what} needs JavaScript.`).waitFor()
      for (const waiting of [page.locator('.animate-appear, .animate-spin'), page.getByText('OR', { exact: true })])
        await expect.poll(() => waiting.filter({ visible: true }).count(), { message: path }).toBe(0)
    }
  })

  it('shows all plan limits on a phone', async () => {
    const page = await world.openPage({ width: 390, height: 844 })
    await page.goto('/pricing')
    for (const width of [390, 320]) {
      await page.setViewportSize({ width, height: 844 })
      const cut = () =>
        page.locator('main table').evaluate((table) => {
          const { left, right } = (table.parentElement as HTMLElement).getBoundingClientRect()
          return [...table.querySelectorAll('tbody td')].filter((cell) => {
            const range = document.createRange()
            range.selectNodeContents(cell)
            const box = range.getBoundingClientRect()
            return box.width === 0 || box.left < left || box.right > right
          }).length
        })
      await expect.poll(cut).toBe(0)
    }
    for (const plan of ['Free', 'Pro', 'Agency'])
      expect(await page.locator(`main td[data-label="${plan}"]`).count()).toBe(9)
  })

  it('counts the view of every public page once', async () => {
    const page = await world.openPage()
    const requests = watchRequests(page)
    world.expectConsole(/404/)
    for (const [before, path] of HYDRATED.entries()) {
      await page.goto(path)
      await expect.poll(() => requests.views.length).toBe(before + 1)
      await page.waitForLoadState('networkidle')
    }
    expect(requests.views.length).toBe(HYDRATED.length)
  })

  it('keeps typed text and clicks from before hydration on a slow phone', async () => {
    const email = 'grace@example.com'
    await signUp(world, email)
    const page = await world.openPage({ width: 390, height: 844 })
    await (await page.context().newCDPSession(page)).send('Emulation.setCPUThrottlingRate', { rate: 6 })
    await page.goto('/login', { waitUntil: 'commit' })
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Log In' }).click()
    await page.waitForURL('**/dashboard')
  })

  it('keeps typed text and clicks while the app loads slowly, says so, and continues', async () => {
    const email = 'katherine@example.com'
    await signUp(world, email)
    const page = await world.openPage()
    await page.clock.install()
    const held = Promise.withResolvers<void>()
    await page.route('**/assets/*.js', async (route) => {
      await held.promise
      await route.continue()
    })
    await page.goto('/login', { waitUntil: 'commit' })
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('radio', { name: 'Dark theme' }).click()
    await page.locator('html[data-theme="dark"]').waitFor()
    const logIn = page.getByRole('button', { name: 'Log In' })
    await logIn.click()
    expect(await logIn.getAttribute('aria-busy')).toBe('true')
    const alert = page.getByRole('alert')
    expect(await alert.count()).toBe(0)
    await page.clock.fastForward(10_000)
    await alert.getByText('This page is taking longer than expected. Please check your connection.').waitFor()
    await expectSoundPage(page)
    held.resolve()
    await page.waitForURL('**/dashboard')
    await page.getByText('This page is taking longer than expected.').waitFor({ state: 'hidden' })
    await page.locator('html[data-theme="dark"]').waitFor()
  })

  it('says so if the app is missing, and reloads on request', async () => {
    const page = await world.openPage({ width: 390, height: 844, dark: true })
    world.expectConsole(/404|Failed to (load|fetch)|module script/)
    await page.route('**/assets/*.js', (route) => route.fulfill({ status: 404, body: '' }))
    await page.goto('/login')
    const alert = page.getByRole('alert')
    await alert.getByText("This page didn't load. Check your connection, then reload it.").waitFor()
    await expectSoundPage(page)
    await page.unroute('**/assets/*.js')
    await alert.getByRole('link', { name: 'Reload the page' }).click()
    await page.getByRole('button', { name: 'Continue with SSO' }).click()
    await page.getByRole('button', { name: 'Log in with a password instead' }).waitFor()
    expect(await alert.count()).toBe(0)
  })

  it('works for guests if the script of the demo is missing', async () => {
    const page = await world.openPage()
    world.expectConsole(/ERR_FAILED/)
    await page.clock.install()
    await page.route('**/finder-demo.js', (route) => route.abort())
    const failed = page.waitForEvent('requestfailed')
    await page.goto('/')
    await page.getByRole('heading', { name: 'Aim before you write' }).scrollIntoViewIfNeeded()
    await failed
    await page.clock.runFor(2_000)
    expect(await page.getByText("This page didn't load.").isVisible()).toBe(false)
  })

  it('works if the browser blocks storage', async () => {
    const email = 'margaret@example.com'
    await signUp(world, email)
    const page = await world.openPage()
    // React Router's inline script fails to read the stored scroll position.
    world.expectConsole(/SecurityError|Access is denied/)
    await page.addInitScript(() => {
      for (const name of ['localStorage', 'sessionStorage'])
        Object.defineProperty(window, name, {
          get() {
            throw new DOMException('Access is denied for this document.', 'SecurityError')
          },
        })
    })
    await page.goto('/login')
    await page.getByRole('radio', { name: 'Dark theme' }).click()
    await page.locator('html[data-theme="dark"]').waitFor()
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Log In' }).click()
    await page.waitForURL('**/dashboard')
    // Without storage, the session lasts until the page is left.
    await page.getByRole('link', { name: 'Leads', exact: true }).click()
    await page.getByRole('heading', { name: 'Twitter Leads' }).waitFor()
  })

  it('loads the app for someone who signs in in another tab', async () => {
    const { enter } = await signUp(world, 'joan@example.com')
    const page = await world.openPage()
    const { views } = watchRequests(page)
    await page.goto('/?ref=ABC234')
    const other = await page.context().newPage()
    await enter(other)
    await page.getByRole('link', { name: 'Campaigns' }).waitFor()
    await expectSoundPage(page)
    expect(views).toEqual([JSON.stringify({ path: '/', ref: 'ABC234' })])
    await page.getByRole('link', { name: 'Campaigns' }).click()
    await expect.poll(() => views.length).toBe(2)
  })

  it('recognizes a signed-in user and links to a light first page', async () => {
    const { enter } = await signUp(world, 'ada@example.com')
    const page = await world.openPage()
    await enter(page)
    await page.goto('/')
    await page.getByRole('link', { name: 'Campaigns' }).waitFor()
    // The page contains only its own styles, but the app needs all of them.
    expect(await page.locator('link[rel="stylesheet"][disabled]').count()).toBe(0)
    await expectSoundPage(page)

    await (await page.context().newCDPSession(page)).send('Network.clearBrowserCache')
    const requests = watchRequests(page)
    // With an open event stream, the network would never be idle.
    await page.route('**/api/events', (route) => route.fulfill({ contentType: 'text/event-stream', body: '' }))
    await page.goto('/dashboard')
    await page.getByRole('heading', { name: 'Dashboard' }).waitFor()
    await page.waitForLoadState('networkidle')
    const bytes = await requests.scripts()
    expect(bytes).toBeGreaterThan(LANDING_BYTES_MAX)
    expect(bytes).toBeLessThan(SIGNED_IN_BYTES_MAX)
  })
})
