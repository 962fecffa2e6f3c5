import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Browser, chromium, type Page } from 'playwright-core'
import { findBrowser } from './browser.ts'
import { openFreshProduct } from './fresh-product.ts'
import { root } from './root.ts'

// `npm run screenshots` starts the product on data of its own, looks at every screen as its demo account, and keeps the pictures in docs/pictures.

const PICTURES = join(root, 'docs', 'pictures')

const product = await openFreshProduct()
try {
  mkdirSync(PICTURES, { recursive: true })
  const browser = await chromium.launch({
    executablePath: await findBrowser((line) => console.error(line)),
    args: ['--no-sandbox', '--disable-background-networking', '--hide-scrollbars'],
  })
  await takeAll(browser, { suffix: '', width: 1280, height: 800, dark: false })
  await takeAll(browser, { suffix: '-dark', width: 1280, height: 800, dark: true })
  await takeAll(browser, { suffix: '-narrow', width: 390, height: 844, dark: false })
  await browser.close()
} finally {
  await product.close()
}

interface Look {
  suffix: string
  width: number
  height: number
  dark: boolean
}

async function takeAll(browser: Browser, { suffix, width, height, dark }: Look): Promise<void> {
  const context = await browser.newContext({
    baseURL: product.origin,
    viewport: { width, height },
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  const take = async (name: string, path: string) => {
    await page.goto(path)
    await settled(page)
    await page.screenshot({ path: join(PICTURES, `${name}${suffix}.png`) })
    console.log(`${name}${suffix}`)
  }
  await take('landing', '/')
  await take('sign-up', '/auth')
  await take('login', '/login')
  await page.getByLabel('Email').fill(product.demo.email)
  await page.getByLabel('Password', { exact: true }).fill(product.demo.password)
  await page.getByRole('button', { name: 'Log In' }).click()
  await page.waitForURL('**/dashboard')
  await take('connect', '/twitter')
  await take('scraper', '/twitter?tab=scraper')
  await take('leads', '/leads')
  await take('lists', '/lists')
  await take('campaigns', '/campaigns')
  await page.getByRole('link', { name: 'Indie makers: feedback' }).first().click()
  await page.waitForURL('**/campaigns/*')
  await take('campaign', new URL(page.url()).pathname)
  await context.close()
}

/** Fonts are in, and what was loading has come. */
async function settled(page: Page): Promise<void> {
  await page.waitForLoadState('load')
  await page.evaluate('document.fonts.ready')
  await page
    .locator('[aria-busy="true"]')
    .first()
    .waitFor({ state: 'detached', timeout: 10_000 })
    .catch(() => {})
  await sleep(600)
}
