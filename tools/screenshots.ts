import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Browser, chromium, type Page } from 'playwright-core'
import { findBrowser } from './browser.ts'
import { openFreshProduct } from './fresh-product.ts'
import { root } from './root.ts'
import { SCREENS, type Screen } from './screens.ts'

// `npm run screenshots` starts the product on data of its own, looks at every screen (screens.ts) as its demo account, and keeps the pictures
// in docs/pictures; a sheet of each area's for each look is what docs/screens.md shows.

const PICTURES = join(root, 'docs', 'pictures')
/** Of the sheets: small enough to be kept, large enough to be read. */
const QUALITY = 45
/** Of a picture on its sheet. */
const COLUMN = { wide: 620, narrow: 260 }

const product = await openFreshProduct({ OPERATORS: 'demo@x-automated.example' })
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
  let campaignId = ''
  for (const [area, screens] of Object.entries(SCREENS)) {
    if (area !== 'guests' && campaignId === '') campaignId = await signIn(page)
    const taken = new Map<string, Buffer>()
    for (const [name, screen] of Object.entries(screens)) {
      if (screen.only && (screen.only === 'narrow') !== width < 768) continue
      taken.set(
        name,
        await take(page, { ...screen, path: screen.path.replace(':campaignId', campaignId) }, name + suffix),
      )
    }
    await drawSheet(browser, area, look, taken)
  }
  await context.close()
}

/** @returns which campaign is running */
async function signIn(page: Page): Promise<string> {
  await page.goto('/login')
  await page.getByLabel('Email').fill(product.demo.email)
  await page.getByLabel('Password', { exact: true }).fill(product.demo.password)
  await page.getByRole('button', { name: 'Log In' }).click()
  await page.waitForURL('**/dashboard')
  await page.goto('/campaigns')
  const running = page.getByRole('link', { name: 'Indie makers: feedback' }).first()
  return (await running.getAttribute('href'))?.split('/').at(-1) ?? ''
}

async function take(page: Page, { path, act, whole = false }: Screen, name: string): Promise<Buffer> {
  // What was opened on the screen before stays there.
  await page.goto('about:blank')
  await page.goto(path)
  await settled(page)
  if (act) {
    await act(page)
    await settled(page)
  }
  console.log(name)
  return page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: whole })
}

/** All pictures of an area in one look side by side. */
async function drawSheet(browser: Browser, area: string, look: Look, taken: Map<string, Buffer>): Promise<void> {
  const { name, width, dark } = look
  const column = width < 768 ? COLUMN.narrow : COLUMN.wide
  const sheetWidth = width < 768 ? 1_740 : 1_940
  const page = await browser.newPage({ viewport: { width: sheetWidth, height: 800 } })
  const figures = [...taken].map(
    ([screen, png]) =>
      `<figure><img src="data:image/png;base64,${png.toString('base64')}"><figcaption>${screen}</figcaption></figure>`,
  )
  await page.setContent(`<!doctype html><style>
    body { margin: 24px; font: 15px system-ui; columns: ${column}px; column-gap: 20px;
      background: ${dark ? '#000' : '#e9e9e6'}; color: ${dark ? '#ddd' : '#333'} }
    figure { margin: 0 0 20px; break-inside: avoid } img { width: 100%; display: block; border-radius: 6px } figcaption { padding-top: 6px }
  </style>${figures.join('')}`)
  const cdp = await page.context().newCDPSession(page)
  const height = await page.evaluate('document.documentElement.scrollHeight')
  const { data } = await cdp.send('Page.captureScreenshot', {
    format: 'webp',
    quality: QUALITY,
    captureBeyondViewport: true,
    clip: { x: 0, y: 0, width: sheetWidth, height: Number(height), scale: 1 },
  })
  writeFileSync(join(PICTURES, `${area}-${name}.webp`), Buffer.from(data, 'base64'))
  await page.close()
}

/** Fonts are in, and what was loading has come. */
async function settled(page: Page): Promise<void> {
  await page.waitForLoadState('load')
  await page.evaluate('document.fonts.ready')
  await page.locator('h1').first().waitFor({ state: 'attached' })
  // What is to be waited for may only begin to load with the page's own script; streams stay open for good.
  await page.waitForLoadState('networkidle', { timeout: 5_000 }).catch(() => {})
  await page
    .locator('[aria-busy="true"], main [class*="animate-appear"]')
    .first()
    .waitFor({ state: 'detached', timeout: 10_000 })
    .catch(() => {})
  await sleep(600)
}
