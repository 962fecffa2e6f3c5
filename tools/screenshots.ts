import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Browser, chromium, type Page } from 'playwright-core'
import { findBrowser } from './browser.ts'
import { openFreshProduct } from './fresh-product.ts'
import { root } from './root.ts'

// `npm run screenshots` starts the product on data of its own, looks at every screen as its demo account, and keeps the pictures
// in docs/pictures; one sheet of all of them for each look is what docs/screens.md shows.

const PICTURES = join(root, 'docs', 'pictures')

/** Screens of guests, by the names of their pictures. */
const GUESTS = {
  landing: '/',
  pricing: '/pricing',
  waitlist: '/waitlist',
  leaderboard: '/leaderboard',
  rankings: '/rankings',
  'sign-up': '/auth',
  login: '/login',
  'forgot-password': '/forgot-password',
  'reset-password': '/reset-password',
  privacy: '/privacy.html',
  terms: '/terms.html',
  'not-found': '/nothing-here',
}

/** Screens of the demo account; `:campaign` is its running one. */
const SIGNED_IN = {
  dashboard: '/dashboard',
  connect: '/twitter',
  scraper: '/twitter?tab=scraper',
  messenger: '/twitter?tab=messenger',
  analytics: '/twitter?tab=analytics',
  'lead-lists': '/twitter?tab=lists',
  leads: '/leads',
  lists: '/lists',
  campaigns: '/campaigns',
  campaign: '/campaigns/:campaign',
  billing: '/billing',
  account: '/account',
  'settings-sending': '/settings',
  'settings-suppression-list': '/settings?tab=suppression-list',
  'settings-notices': '/settings?tab=notices',
  'settings-people': '/settings?tab=people',
  'settings-single-sign-on': '/settings?tab=single-sign-on',
  extension: '/extension',
}

const product = await openFreshProduct()
try {
  mkdirSync(PICTURES, { recursive: true })
  const browser = await chromium.launch({
    executablePath: await findBrowser((line) => console.error(line)),
    args: ['--no-sandbox', '--disable-background-networking', '--hide-scrollbars'],
  })
  await takeAll(browser, { name: 'wide', suffix: '', width: 1280, height: 800, dark: false })
  await takeAll(browser, { name: 'dark', suffix: '-dark', width: 1280, height: 800, dark: true })
  await takeAll(browser, { name: 'narrow', suffix: '-narrow', width: 390, height: 844, dark: false })
  await browser.close()
} finally {
  await product.close()
}

interface Look {
  name: string
  suffix: string
  width: number
  height: number
  dark: boolean
}

async function takeAll(browser: Browser, look: Look): Promise<void> {
  const { suffix, width, height, dark } = look
  const context = await browser.newContext({
    baseURL: product.origin,
    viewport: { width, height },
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  const taken = new Map<string, Buffer>()
  const take = async (name: string, path: string) => {
    await page.goto(path)
    await settled(page)
    taken.set(name, await page.screenshot({ path: join(PICTURES, `${name}${suffix}.png`) }))
    console.log(`${name}${suffix}`)
  }
  for (const [name, path] of Object.entries(GUESTS)) await take(name, path)
  await page.goto('/login')
  await page.getByLabel('Email').fill(product.demo.email)
  await page.getByLabel('Password', { exact: true }).fill(product.demo.password)
  await page.getByRole('button', { name: 'Log In' }).click()
  await page.waitForURL('**/dashboard')
  await page.goto('/campaigns')
  const running = page.getByRole('link', { name: 'Indie makers: feedback' }).first()
  const campaign = (await running.getAttribute('href'))?.split('/').at(-1) ?? ''
  for (const [name, path] of Object.entries(SIGNED_IN)) await take(name, path.replace(':campaign', campaign))
  await context.close()
  await drawSheet(browser, look, taken)
}

/** All pictures of one look side by side, small enough to be kept. */
async function drawSheet(browser: Browser, { name, width, dark }: Look, taken: Map<string, Buffer>): Promise<void> {
  const columns = width < 768 ? 6 : 4
  const page = await browser.newPage({ viewport: { width: 1600, height: 800 } })
  const figures = [...taken].map(
    ([screen, png]) =>
      `<figure><img src="data:image/png;base64,${png.toString('base64')}"><figcaption>${screen}</figcaption></figure>`,
  )
  await page.setContent(`<style>
    body { margin: 24px; font: 15px system-ui; display: grid; grid-template-columns: repeat(${columns}, 1fr); gap: 24px;
      background: ${dark ? '#000' : '#e9e9e6'}; color: ${dark ? '#ddd' : '#333'} }
    figure { margin: 0 } img { width: 100%; display: block; border-radius: 6px } figcaption { padding-top: 6px }
  </style>${figures.join('')}`)
  const path = join(PICTURES, `every-screen-${name}.jpg`)
  await page.screenshot({ path, type: 'jpeg', quality: 72, fullPage: true })
  await page.close()
}

/** Fonts are in, and what was loading has come. */
async function settled(page: Page): Promise<void> {
  await page.waitForLoadState('load')
  await page.evaluate('document.fonts.ready')
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  // What is to be waited for may only begin to load with the page's own script; streams stay open for good.
  await page.waitForLoadState('networkidle', { timeout: 5_000 }).catch(() => {})
  await page
    .locator('[aria-busy="true"], main [class*="animate-appear"]')
    .first()
    .waitFor({ state: 'detached', timeout: 10_000 })
    .catch(() => {})
  await sleep(600)
}
