import type { Page, Request } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { createRecords, fillPath, LOADING, ofGuests, ofOthers, pages } from '../pages.ts'
import { callApi, expectSoundPage, openWorld, signIn, signUp, tokenOf, type World } from '../world.ts'

// Checks every page for layout shifts, axe violations in both color schemes, horizontal overflow and
// console messages.

let world: World
beforeAll(async () => {
  world = await openWorld({ OPERATORS: 'everywhere@example.com,patient@example.com' })
})

/** Most phones, the narrowest phone, and a 1,280 px window at 200% zoom. Pages load at the first width. */
const NARROW = [390, 320, 640]
/** The largest layout shift allowed on a phone. Pages reserve space, so the order of responses does not matter. */
const SHIFT_MAX = 0.1

async function check(page: Page, path: string): Promise<void> {
  await checkPage(page, path).catch((cause) => {
    throw new Error(`${path}: ${cause.message}`, { cause })
  })
}

async function checkPage(page: Page, path: string): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  await checkLayoutShift(page, path)
  await checkNarrow(page)
  await page.setViewportSize({ width: 1280, height: 900 })
  await checkInBothSchemes(page)
}

async function checkLayoutShift(page: Page, path: string, width = 390): Promise<void> {
  await page.setViewportSize({ width, height: 844 })
  await page.goto(path)
  await waitUntilLoaded(page)
  // Only check this now: the loading screen has a heading, too.
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  expect(await layoutShift(page), 'layout shift while loading').toBeLessThanOrEqual(SHIFT_MAX)
}

async function checkNarrow(page: Page, widths = NARROW): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 844 })
    // The layout may take a moment to settle after resizing.
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), {
        message: `scrolls sideways at ${width} px`,
      })
      .toBeLessThanOrEqual(0)
  }
}

/** Returns the cumulative layout shift without user input. */
function layoutShift(page: Page): Promise<number> {
  return page.evaluate(async () => {
    let sum = 0
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) sum += (entry as PerformanceEntry & { value: number }).value
    }).observe({ type: 'layout-shift', buffered: true })
    // Buffered entries arrive in a later task. Without a shift, none arrive.
    await new Promise((done) => {
      requestAnimationFrame(() => setTimeout(done))
    })
    return sum
  })
}

/** Pending requests of a page. */
const pendingRequests = new WeakMap<Page, Set<Request>>()

async function openPage(): Promise<Page> {
  const page = await world.openPage()
  const open = new Set<Request>()
  pendingRequests.set(page, open)
  page.on('request', (request) => {
    // Ignores requests of the previous page.
    if (request.isNavigationRequest()) open.clear()
    // Event streams never end.
    if (request.headers().accept !== 'text/event-stream') open.add(request)
  })
  page.on('requestfinished', (request) => open.delete(request))
  page.on('requestfailed', (request) => open.delete(request))
  return page
}

/** Waits until several checks in a row find no pending request and no skeleton. */
async function waitUntilLoaded(page: Page): Promise<void> {
  const missing = async () => {
    for (let looks = 0; looks < 3; looks += 1) {
      // By then, responses are rendered and have triggered their own requests.
      await page.evaluate(() => new Promise((done) => requestIdleCallback(done, { timeout: 500 })))
      const calls = [...(pendingRequests.get(page) ?? [])].map((request) => request.url())
      if (calls.length > 0) return calls
      const count = await page.evaluate((loading) => document.querySelectorAll(loading).length, LOADING)
      if (count > 0) return [`${count} skeletons`]
    }
    return []
  }
  await expect.poll(missing, { timeout: 120_000, message: 'still loading' }).toEqual([])
}

/** Checks the tabs that are not open initially. */
async function checkTabs(page: Page, path: string): Promise<void> {
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.goto(path)
  const tabs = page.getByRole('main').getByRole('tablist').first().getByRole('tab')
  await tabs.first().waitFor()
  for (const tab of (await tabs.all()).slice(1)) {
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
    await tab.click()
    try {
      await checkInBothSchemes(page)
      await checkNarrow(page)
    } catch (cause) {
      throw new Error(`${path}, ${await tab.innerText()}: ${(cause as Error).message}`, { cause })
    }
    await page.setViewportSize({ width: 1280, height: 900 })
  }
}

async function checkInBothSchemes(page: Page): Promise<void> {
  await waitUntilLoaded(page)
  await expectSoundPage(page)
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  // Even without motion, color changes propagate one level per frame.
  await page.evaluate(async () => {
    for (let still = 0; still < 3; still += 1) {
      await new Promise(requestAnimationFrame)
      if (document.getAnimations().some(({ playState }) => playState === 'running')) still = -1
    }
  })
  await expectSoundPage(page, ['color-contrast'])
}

/** The id of a campaign, conversation or list that does not exist. */
const NO_ID = '01900000-0000-7000-8000-000000000000'
/** Requests about the signed-in user. Other parts of a page depend on them. */
const ABOUT_OWNER = /\/api\/(me|first-steps|session\/status)$/

/** Waits until several checks in a row find only blocked requests. */
async function waitUntilRendered(page: Page): Promise<void> {
  const missing = async () => {
    for (let looks = 0; looks < 2; looks += 1) {
      await page.evaluate(() => new Promise((done) => requestIdleCallback(done, { timeout: 500 })))
      const files = [...(pendingRequests.get(page) ?? [])]
        .map((request) => request.url())
        .filter((url) => !url.includes('/api/'))
      if (files.length > 0) return files
    }
    return []
  }
  await expect.poll(missing, { timeout: 120_000, message: 'not rendered yet' }).toEqual([])
}

/**
 * Opens a page whose API calls are blocked, except those that `admit` accepts. `page.route` would
 * also disable the browser's cache, which triples the time of a navigation.
 */
async function openBlockedPage(admit: (url: string) => boolean): Promise<Page> {
  const page = await openPage()
  const session = await page.context().newCDPSession(page)
  session.on('Fetch.requestPaused', ({ requestId, request }) => {
    if (admit(request.url)) session.send('Fetch.continueRequest', { requestId }).catch(() => {})
  })
  await session.send('Fetch.enable', { patterns: [{ urlPattern: '*/api/*' }] })
  return page
}

/** Checks a page while its responses are still missing. */
async function checkWhileLoading(page: Page, path: string, hasTabs: boolean): Promise<void> {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(path)
  await waitUntilRendered(page)
  await checkNarrow(page, [390, 320])
  if (!hasTabs) return
  for (const tab of (await page.getByRole('main').getByRole('tab').all()).slice(1)) {
    await tab.click()
    await waitUntilRendered(page)
    await checkNarrow(page, [390, 320]).catch(async (cause) => {
      throw new Error(`${await tab.innerText()}: ${cause.message}`, { cause })
    })
  }
}

describe('every page', () => {
  it('passes all checks signed out', async () => {
    expect(ofGuests.length).toBeGreaterThan(9)
    const page = await openPage()
    world.expectConsole(/status of 404/)
    // /auth/callback redirects to the first page or to the login page.
    for (const path of ofGuests.filter((candidate) => candidate !== '/auth/callback').concat('/nothing-here'))
      await check(page, path)

    // The API reference, with an open operation.
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
    await page.goto('/api/docs')
    await page.locator('.opblock-summary-control').nth(3).click()
    await page.locator('.opblock-body').getByText('Parameters', { exact: true }).waitFor()
    await checkInBothSchemes(page)
    await checkNarrow(page)

    // The app has this route, but the server has no such page.
    await page.goto(`${world.origin}//Waitlist`)
    await page.waitForURL(`${world.origin}/waitlist`)
  })

  it('passes all checks signed in, after onboarding', async () => {
    expect(ofOthers.length).toBeGreaterThan(8)
    const page = await openPage()
    await (await signUp(world, 'everywhere@example.com')).enter(page)

    // Onboarding steps lead to each other and disappear with the first campaign.
    await page.goto('/dashboard')
    const steps = page.locator('section').filter({ has: page.getByRole('heading', { name: 'First steps' }) })
    await steps.getByText('4 steps').waitFor()
    await steps.getByRole('button', { name: 'Hide first steps' }).click()
    await steps.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await steps.getByRole('link', { name: 'Connect X' }).waitFor()
    await steps.getByRole('button', { name: 'Hide first steps' }).click()
    // The focus is not lost.
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('content')
    await steps.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Profile menu' }).click()
    await page.getByRole('menuitem', { name: 'Show first steps' }).click()
    await steps.getByRole('link', { name: 'Connect X' }).waitFor()
    await check(page, '/dashboard')
    // On other pages, they are docked in the sidebar.
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.goto('/leads')
    const docked = page.getByRole('region', { name: 'First steps', exact: true })
    await docked.getByRole('button', { name: 'First steps' }).click()
    await docked.getByRole('link', { name: 'Connect your X account' }).click()
    await page.getByLabel('Username').fill('everywhere')
    await page.getByLabel('Password', { exact: true }).fill('any eight or more')
    await page.getByRole('button', { name: 'Connect X', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Only labels' }).click()
    await docked.getByText('1 of 4').waitFor()
    await callApi(page, 'POST', '/leads/import', 'twitter_handle,name\nsomebody,Some Body\n', 'text/csv')
    await docked.getByText('2 of 4').waitFor()
    await page.goto('/twitter?tab=lists')
    // The selected tab is visible at every width.
    const open = page.getByRole('tab', { name: 'Lead Lists' })
    await open.waitFor()
    await page.setViewportSize({ width: 390, height: 800 })
    await page.reload()
    await open.waitFor()
    await expect.poll(async () => ((await open.boundingBox())?.x ?? 390) < 300, { timeout: 120_000 }).toBe(true)

    await page.goto('/dashboard')
    await steps.getByText('2 of 4 steps done.').waitFor()
    const records = await createRecords(world, await tokenOf(page), 'everywhere')
    // The campaign's page says that this browser cannot send it.
    for (const width of [390, 1280]) await checkLayoutShift(page, `/campaigns/${records.byBrowserId}`, width)
    await page.getByText('Extension not installed in this browser').waitFor()
    // A scrape's results arrive in parts, without moving anything.
    const bounds = { minFollowers: 0, maxFollowers: 1_000_000_000, keywords: [] }
    await callApi(page, 'POST', '/scrapes', { twitterHandle: 'allopen_f40', type: 'followers', ...bounds })
    await expect
      .poll(async () => (await callApi(page, 'GET', '/scrapes')).scrapes[0].status, { timeout: 120_000 })
      .toBe('completed')
    await page.route('**/histogram*', async (route) => {
      await page.getByRole('heading', { name: 'Followers of @allopen_f40' }).waitFor()
      await new Promise((done) => setTimeout(done, 1_000))
      await route.continue()
    })
    await checkLayoutShift(page, '/twitter?tab=scraper', 1280)
    await page.unroute('**/histogram*')
    for (const path of ofOthers) await check(page, fillPath(path, records))
    await page.goto('/dashboard')
    await page.getByText('Member since').waitFor()
    await expect.poll(() => steps.count(), { timeout: 120_000 }).toBe(0)
  })

  it('passes all checks on every tab', async () => {
    const page = await openPage()
    await (await signIn(world, 'everywhere@example.com')).enter(page)
    for (const path of ['/operator', '/settings', '/twitter']) await checkTabs(page, path)
  })

  it('never overflows horizontally while loading', async () => {
    const owner = await signUp(world, 'patient@example.com')
    const [unknown, ownerKnown] = [
      await openBlockedPage(() => false),
      await openBlockedPage((url) => ABOUT_OWNER.test(url)),
    ]
    for (const page of [unknown, ownerKnown]) await owner.enter(page)
    const wide: string[] = []
    for (const { path, access } of pages)
      for (const page of access === 'public' ? [unknown] : [unknown, ownerKnown])
        await checkWhileLoading(
          page,
          fillPath(path, { campaignId: NO_ID, conversationId: NO_ID, listId: NO_ID, accountId: NO_ID }),
          page === ownerKnown,
        ).catch((cause) => wide.push(`${path}: ${cause.message}`))
    expect(wide).toEqual([])
  })
})
