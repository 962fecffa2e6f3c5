import { readFileSync } from 'node:fs'
import type { Page, Request } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { callApi, expectSoundPage, openWorld, signIn, signUp, type World } from '../world.ts'

/** Every page by its address: nothing jumps while it loads, axe in both colour schemes, nothing scrolls sideways on a phone or at twice the size, no console message. */
let world: World
beforeAll(async () => {
  world = await openWorld({ OPERATORS: 'everywhere@example.com,patient@example.com' })
})

/** What web/app/paths.ts registers, so that no page is forgotten here. */
const pages = [
  ...readFileSync(new URL('../../web/app/paths.ts', import.meta.url), 'utf8').matchAll(
    /\{ path: '([^']+)', access: '([\w-]+)', file:/g,
  ),
].map(([, path, access]) => ({ path: path ?? '', access }))
const ofGuests = pages.filter(({ access }) => access === 'public').map(({ path }) => path)
const ofOthers = pages.filter(({ access }) => access !== 'public').map(({ path }) => path)

/** 320 px: the narrowest phone. 390 px: most phones. 640 px: a window of 1,280 px at twice the size. */
const NARROW = [320, 390, 640]
/** What may move on a phone while a page loads, as browsers reckon it. Places are held, so it does not depend on what comes first. */
const SHIFT_MAX = 0.1

async function look(page: Page, path: string): Promise<void> {
  await lookAt(page, path).catch((cause) => {
    throw new Error(`${path}: ${cause.message}`, { cause })
  })
}

async function lookAt(page: Page, path: string): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  await lookWhetherStill(page, path)
  await page.setViewportSize({ width: 1280, height: 900 })
  await lookInBothSchemes(page)
  await lookNarrow(page)
}

async function lookWhetherStill(page: Page, path: string, width = 390): Promise<void> {
  await page.setViewportSize({ width, height: 844 })
  await page.goto(path)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await hasCome(page)
  expect(await layoutShift(page), 'what moved while it loaded').toBeLessThanOrEqual(SHIFT_MAX)
}

async function lookNarrow(page: Page, widths = NARROW): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 })
    // What comes or is measured anew after the change of width may take a moment to fit.
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), {
        message: `scrolls sideways at ${width} px`,
      })
      .toBeLessThanOrEqual(0)
  }
}

/** The sum of what has moved since the page was opened, without anybody's doing. */
function layoutShift(page: Page): Promise<number> {
  return page.evaluate(async () => {
    let sum = 0
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) sum += (entry as PerformanceEntry & { value: number }).value
    }).observe({ type: 'layout-shift', buffered: true })
    // What is kept is told in a task of its own; none comes where nothing has moved.
    await new Promise((done) => {
      requestAnimationFrame(() => setTimeout(done))
    })
    return sum
  })
}

/** What a page has asked for and has not got yet. */
const awaited = new WeakMap<Page, Set<Request>>()

async function openPage(): Promise<Page> {
  const page = await world.openPage()
  const open = new Set<Request>()
  awaited.set(page, open)
  page.on('request', (request) => {
    // What the page before still waited for is nobody's concern any more.
    if (request.isNavigationRequest()) open.clear()
    // A live stream has no end.
    if (request.headers().accept !== 'text/event-stream') open.add(request)
  })
  page.on('requestfinished', (request) => open.delete(request))
  page.on('requestfailed', (request) => open.delete(request))
  return page
}

/** What was loading is there: at several looks in a row nothing is awaited, and nothing stands in for it. */
async function hasCome(page: Page): Promise<void> {
  const standIns = page.locator('main [class*="animate-appear"], main [aria-busy="true"], main .animate-spin')
  const missing = async () => {
    for (let looks = 0; looks < 3; looks += 1) {
      // What has come is drawn by then, and has asked for what it needs itself, however busy the machine is.
      await page.evaluate(() => new Promise((done) => requestIdleCallback(done, { timeout: 500 })))
      const calls = [...(awaited.get(page) ?? [])].map((request) => request.url())
      if (calls.length > 0) return calls
      const count = await standIns.count()
      if (count > 0) return [`${count} places of what is to come`]
    }
    return []
  }
  await expect.poll(missing, { timeout: 40_000, message: 'what has not come' }).toEqual([])
}

/** Looks at the tabs that a page does not open with. */
async function lookAtTabs(page: Page, path: string): Promise<void> {
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.goto(path)
  const tabs = page.getByRole('main').getByRole('tablist').first().getByRole('tab')
  await tabs.first().waitFor()
  for (const tab of (await tabs.all()).slice(1)) {
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
    await tab.click()
    try {
      await lookInBothSchemes(page)
      await lookNarrow(page)
    } catch (cause) {
      throw new Error(`${path}, ${await tab.innerText()}: ${(cause as Error).message}`, { cause })
    }
    await page.setViewportSize({ width: 1280, height: 900 })
  }
}

async function lookInBothSchemes(page: Page): Promise<void> {
  await hasCome(page)
  await expectSoundPage(page)
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  // Even without motion colours come down from element to element, a frame each.
  await page.evaluate(async () => {
    for (let still = 0; still < 3; still += 1) {
      await new Promise(requestAnimationFrame)
      if (document.getAnimations().some(({ playState }) => playState === 'running')) still = -1
    }
  })
  await expectSoundPage(page, ['color-contrast'])
}

/** Its answer never comes. */
const NO_CAMPAIGN = '01900000-0000-7000-8000-000000000000'
/** What a page needs to know whose it is; with it, the parts that wait for it begin to load. */
const ABOUT_OWNER = /\/api\/(me|first-steps|session\/status)$/

/** All that a page draws without its answers is there: at several looks in a row it awaits nothing but them. */
async function isDrawn(page: Page): Promise<void> {
  const missing = async () => {
    for (let looks = 0; looks < 2; looks += 1) {
      await page.evaluate(() => new Promise((done) => requestIdleCallback(done, { timeout: 500 })))
      const files = [...(awaited.get(page) ?? [])]
        .map((request) => request.url())
        .filter((url) => !url.includes('/api/'))
      if (files.length > 0) return files
    }
    return []
  }
  await expect.poll(missing, { timeout: 40_000, message: 'what has not been drawn' }).toEqual([])
}

/** Looks at a page whose answers are held back: at first all of them, then all but what it knows of its owner. */
async function lookWhileLoading(page: Page, path: string, isOfGuests: boolean): Promise<void> {
  for (const knowsOwner of isOfGuests ? [false] : [false, true]) {
    await page.route('**/api/**', (route) => {
      // The others are held until the page is left.
      if (knowsOwner && ABOUT_OWNER.test(route.request().url())) return route.continue()
    })
    await page.setViewportSize({ width: 390, height: 800 })
    await page.goto(path)
    await isDrawn(page)
    await lookNarrow(page, [390, 320])
    if (!knowsOwner) continue
    for (const tab of (await page.getByRole('main').getByRole('tab').all()).slice(1)) {
      await tab.click()
      await isDrawn(page)
      await lookNarrow(page, [390, 320]).catch(async (cause) => {
        throw new Error(`${await tab.innerText()}: ${cause.message}`, { cause })
      })
    }
  }
}

describe('every page', () => {
  it('signed out', async () => {
    expect(ofGuests.length).toBeGreaterThan(9)
    const page = await openPage()
    const others = ['/privacy.html', '/terms.html', '/nothing-here']
    world.expectConsole(/status of 404/)
    // /auth/callback leads to the page for who is signed in, or to the login.
    for (const path of ofGuests.filter((one) => one !== '/auth/callback').concat(others)) await look(page, path)

    // To the app it is the waitlist, to the server no page.
    await page.goto(`${world.origin}//Waitlist`)
    await page.waitForURL(`${world.origin}/waitlist`)
  })

  it('signed in, after the first steps', async () => {
    expect(ofOthers.length).toBeGreaterThan(8)
    const page = await openPage()
    await (await signUp(world, 'everywhere@example.com')).enter(page)

    // The first steps lead on from one to the next, and are gone once there is a campaign.
    await page.goto('/dashboard')
    const steps = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Your first campaign' }) })
    await steps.getByText('4 steps').waitFor()
    await steps.getByRole('button', { name: 'Hide first steps' }).click()
    await steps.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await steps.getByRole('link', { name: 'Connect X' }).waitFor()
    await steps.getByRole('button', { name: 'Hide first steps' }).click()
    // Who uses the keys is not left without a place.
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('content')
    await steps.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Profile menu' }).click()
    await page.getByRole('menuitem', { name: 'Show first steps' }).click()
    await steps.getByRole('link', { name: 'Connect X' }).waitFor()
    await look(page, '/dashboard')
    await page.goto('/twitter?tab=lists')
    // The open one is to be seen, however narrow the page.
    const open = page.getByRole('tab', { name: 'Lead Lists' })
    await open.waitFor()
    await page.setViewportSize({ width: 390, height: 800 })
    await page.reload()
    await open.waitFor()
    await expect.poll(async () => ((await open.boundingBox())?.x ?? 390) < 300, { timeout: 10_000 }).toBe(true)

    await callApi(page, 'POST', '/session/connect', { username: 'everywhere', password: 'any eight or more' })
    await callApi(page, 'POST', '/leads/import', 'twitter_handle,name\nsomebody,Some Body\n', 'text/csv')
    await page.goto('/dashboard')
    await steps.getByText('2 of 4 steps done.').waitFor()
    const { leads } = await callApi(page, 'GET', '/leads')
    const list = await callApi(page, 'POST', '/lists', { name: 'Everybody' })
    await callApi(page, 'POST', `/lists/${list.id}/leads`, { leadIds: [leads[0].id] })
    const campaign = await callApi(page, 'POST', '/campaigns', {
      name: 'Hello',
      leadListId: list.id,
      messageTemplate: 'Hello {lead_name}',
      status: 'draft',
    })
    await callApi(page, 'POST', `/campaigns/${campaign.id}/queue`)
    // Its page says, above all else, that no browser here can send it.
    const byBrowser = await callApi(page, 'POST', '/campaigns', {
      name: 'By the browser',
      leadListId: list.id,
      messageTemplate: 'Hello {lead_name}',
      channel: 'extension',
      status: 'paused',
    })
    for (const width of [390, 1280]) await lookWhetherStill(page, `/campaigns/${byBrowser.id}`, width)
    await page.getByText('The extension is not in this browser').waitFor()
    for (const path of ofOthers) await look(page, path.replace(':campaignId', campaign.id))
    await page.goto('/dashboard')
    await page.getByText('Member since').waitFor()
    await expect.poll(() => steps.count(), { timeout: 10_000 }).toBe(0)
  })

  it('each tab, signed in', async () => {
    const page = await openPage()
    await (await signIn(world, 'everywhere@example.com')).enter(page)
    for (const path of ['/operator', '/settings', '/twitter']) await lookAtTabs(page, path)
  })

  it('scrolls sideways nowhere while it loads', async () => {
    const page = await openPage()
    await (await signUp(world, 'patient@example.com')).enter(page)
    const wide: string[] = []
    for (const { path, access } of pages)
      await lookWhileLoading(page, path.replace(':campaignId', NO_CAMPAIGN), access === 'public').catch((cause) =>
        wide.push(`${path}: ${cause.message}`),
      )
    expect(wide).toEqual([])
  })
})
