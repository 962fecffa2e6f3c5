import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Browser, chromium, type Page } from 'playwright-core'
import { findBrowser } from './browser.ts'
import type { DemoAccount } from './demo.ts'
import { root } from './root.ts'

// `npm run screenshots` starts the product on data of its own, looks at every screen as its demo account, and keeps the pictures in docs/pictures.

const PICTURES = join(root, 'docs', 'pictures')
const START_MS = 180_000

const dataDir = mkdtempSync(join(tmpdir(), 'x-automated-pictures-'))
const port = await freePort()
const origin = `http://localhost:${port}`
const product = spawn(process.execPath, [join(root, 'tools', 'launch.mjs'), 'start'], {
  cwd: root,
  env: { ...process.env, PORT: String(port), DATA_DIR: dataDir, LOG_LEVEL: 'error' },
  stdio: ['ignore', 'ignore', 'inherit'],
})
try {
  const demo = await demoAccount()
  mkdirSync(PICTURES, { recursive: true })
  const browser = await chromium.launch({
    executablePath: await findBrowser((line) => console.error(line)),
    args: ['--no-sandbox', '--disable-background-networking', '--hide-scrollbars'],
  })
  await takeAll(browser, demo, { suffix: '', width: 1280, height: 800, dark: false })
  await takeAll(browser, demo, { suffix: '-dark', width: 1280, height: 800, dark: true })
  await takeAll(browser, demo, { suffix: '-narrow', width: 390, height: 844, dark: false })
  await browser.close()
} finally {
  product.kill('SIGTERM')
  await once(product, 'exit')
  rmSync(dataDir, { recursive: true, force: true })
}

interface Look {
  suffix: string
  width: number
  height: number
  dark: boolean
}

async function takeAll(browser: Browser, demo: DemoAccount, { suffix, width, height, dark }: Look): Promise<void> {
  const context = await browser.newContext({
    baseURL: origin,
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
  await page.getByLabel('Email').fill(demo.email)
  await page.getByLabel('Password', { exact: true }).fill(demo.password)
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

async function demoAccount(): Promise<DemoAccount> {
  const file = join(dataDir, 'demo.json')
  for (const end = Date.now() + START_MS; Date.now() < end; await sleep(200)) {
    if (product.exitCode !== null) break
    if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as DemoAccount
  }
  throw new Error('The product did not start.')
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  return typeof address === 'object' && address ? address.port : 0
}
