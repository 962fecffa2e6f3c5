import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Browser, chromium, type Locator, type Page } from 'playwright-core'
import { findBrowser } from './browser.ts'
import { openFreshProduct } from './fresh-product.ts'
import { root } from './root.ts'
import { SCREENS, type Screen } from './screens.ts'

// `npm run screenshots` starts the product with its own data and saves a picture of every screen
// (screens.ts) in docs/pictures. docs/screens.md shows one sheet per area and look.

const PICTURES = join(root, 'docs', 'pictures')
/** WebP quality of the sheets: small enough to commit, good enough to read. */
const QUALITY = 45
/** Width of a picture on a sheet, in pixels. */
const COLUMN = { wide: 620, narrow: 260 }

const product = await openFreshProduct({ OPERATORS: 'demo@x-automated.example' })
try {
  mkdirSync(PICTURES, { recursive: true })
  const browser = await chromium.launch({
    executablePath: await findBrowser((line) => console.error(line)),
    args: ['--no-sandbox', '--disable-background-networking', '--hide-scrollbars'],
  })
  await captureAll(browser, { name: 'wide', suffix: '', width: 1280, height: 800, dark: false })
  await captureAll(browser, { name: 'dark', suffix: '-dark', width: 1280, height: 800, dark: true })
  await captureAll(browser, { name: 'narrow', suffix: '-narrow', width: 390, height: 844, dark: false })
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

async function captureAll(browser: Browser, look: Look): Promise<void> {
  const { suffix, width, height, dark } = look
  const context = await browser.newContext({
    baseURL: product.origin,
    viewport: { width, height },
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  let ids = { campaignId: '', conversationId: '', listId: '', accountId: '' }
  for (const [area, screens] of Object.entries(SCREENS)) {
    if (area !== 'guests' && ids.campaignId === '') ids = await signIn(page)
    const pictures = new Map<string, Buffer>()
    for (const [name, screen] of Object.entries(screens)) {
      if (screen.only && (screen.only === 'narrow') !== width < 768) continue
      const path = screen.path
        .replace(':campaignId', ids.campaignId)
        .replace(':conversationId', ids.conversationId)
        .replace(':listId', ids.listId)
        .replace(':accountId', ids.accountId)
      pictures.set(name, await capture(page, { ...screen, path }, name + suffix))
    }
    await drawSheet(browser, area, look, pictures)
  }
  await context.close()
}

/** Logs in to the demo account. @returns its running campaign, its latest conversation, a list and an X account */
async function signIn(page: Page) {
  await page.goto('/login')
  await page.getByLabel('Email').fill(product.demo.email)
  await page.getByLabel('Password', { exact: true }).fill(product.demo.password)
  await page.getByRole('button', { name: 'Log In' }).click()
  await page.waitForURL('**/dashboard')
  await page.goto('/campaigns')
  const running = page.getByRole('link', { name: 'Indie makers: feedback' }).first()
  const campaignId = await idIn(running)
  await page.goto('/inbox')
  const conversationId = await idIn(page.locator('[data-conversation] a').first())
  await page.goto('/twitter')
  const accountId = await idIn(page.locator('main a[href^="/accounts/"]').first())
  await page.goto('/lists')
  const listId = await idIn(page.locator('main a[href^="/lists/"]').first())
  return { campaignId, conversationId, listId, accountId }
}

async function idIn(link: Locator): Promise<string> {
  return (await link.getAttribute('href'))?.split('/').at(-1) ?? ''
}

async function capture(page: Page, { path, act, fullPage = false, height }: Screen, name: string): Promise<Buffer> {
  const usual = page.viewportSize()
  if (usual && height) await page.setViewportSize({ ...usual, height })
  // Close anything that the previous screen opened.
  await page.goto('about:blank')
  await page.goto(path)
  await waitUntilSettled(page)
  if (act) {
    await act(page)
    await waitUntilSettled(page)
  }
  console.log(name)
  const picture = await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage })
  if (usual && height) await page.setViewportSize(usual)
  return picture
}

/** Draws all pictures of an area next to each other. */
async function drawSheet(browser: Browser, area: string, look: Look, pictures: Map<string, Buffer>): Promise<void> {
  const { name, width, dark } = look
  const column = width < 768 ? COLUMN.narrow : COLUMN.wide
  const sheetWidth = width < 768 ? 1_740 : 1_940
  const page = await browser.newPage({ viewport: { width: sheetWidth, height: 800 } })
  const figures = [...pictures].map(
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

/** Waits for fonts, requests, skeletons and pictures. */
async function waitUntilSettled(page: Page): Promise<void> {
  await page.waitForLoadState('load')
  await page.evaluate('document.fonts.ready')
  await page.locator('h1').first().waitFor({ state: 'attached' })
  // Event streams stay open, so the network may never be idle.
  await page.waitForLoadState('networkidle', { timeout: 2_000 }).catch(() => {})
  await page
    .locator('[aria-busy="true"], main [class*="animate-appear"]')
    .first()
    .waitFor({ state: 'detached', timeout: 10_000 })
    .catch(() => {})
  await page
    .waitForFunction(
      '[...document.images].every((image) => image.complete || image.getBoundingClientRect().top > innerHeight)',
    )
    .catch(() => {})
  await sleep(600)
}
