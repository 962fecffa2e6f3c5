import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { chromium, type Page } from 'playwright-core'
import { formatNumber } from '../contract/src/format.ts'
import { findBrowser } from '../tools/browser.ts'
import { type FreshProduct, openFreshProduct } from '../tools/fresh-product.ts'
import { quantile } from './sending/processes.ts'

/* Measures page changes and scrolling for signed-in users, in a real browser with 1,000,000 leads
   (BENCH_LEADS). Never fails: a browser's frame rate depends on the machine. */

const LEADS = Number(process.env.BENCH_LEADS ?? 1_000_000)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 20)
/** Target for the 75th percentile of page changes. */
const CHANGE_WANTED_MS = 150
/** In this order, each change leads to another route. The first change starts on Home, where people land. */
const LINKS = ['Leads', 'Find leads', 'Lists', 'Analytics', 'Campaigns', 'Inbox', 'Settings', 'Billing', 'Home']
const SCROLLS = 10
/** A frame that takes longer was missed, at 60 frames a second. */
const FRAME_MAX_MS = 25

/** Imports LEADS people as one file. A million lines are just below the largest file that the product accepts. */
async function importPeople(product: FreshProduct, token: string): Promise<void> {
  const lines = Array.from({ length: LEADS }, (_, n) => `h${n.toString(36)},Ann ${n},Founder in city ${n % 97},${n}`)
  const response = await fetch(`${product.origin}/api/leads/import`, {
    method: 'POST',
    headers: { 'content-type': 'text/csv', authorization: `Bearer ${token}` },
    body: ['twitter_handle,name,bio,follower_count', ...lines].join('\n'),
  })
  if (!response.ok) throw new Error(`The import failed: ${await response.text()}`)
}

async function logIn(page: Page, { origin, demo }: FreshProduct): Promise<string> {
  await page.goto(`${origin}/login`)
  await page.getByLabel('Email').fill(demo.email)
  await page.getByLabel('Password', { exact: true }).fill(demo.password)
  await page.getByRole('button', { name: 'Log In' }).click()
  await page.waitForURL('**/dashboard')
  return page.evaluate(() => localStorage.getItem('authToken') ?? '')
}

/** Clicks a sidebar link. @returns the milliseconds until the page's title is painted, and until all of it is */
function changePage(page: Page, name: string): Promise<{ title: number; all: number }> {
  return page.evaluate(async (text) => {
    const links = document.querySelectorAll<HTMLAnchorElement>('header nav[aria-label="Main"] a')
    const link = [...links].find(({ textContent }) => textContent?.startsWith(text))
    if (!link) throw new Error(`The sidebar has no ${text}.`)
    /** Resolves after the next frame is painted. */
    const painted = () =>
      new Promise<number>((done) => {
        requestAnimationFrame(() => {
          const { port1, port2 } = new MessageChannel()
          port1.onmessage = () => done(performance.now())
          port2.postMessage(null)
        })
      })
    const before = document.querySelector('h1')
    const began = performance.now()
    link.click()
    let title: number | undefined
    for (;;) {
      const now = await painted()
      const heading = document.querySelector('h1')
      if (heading && heading !== before && location.href === link.href) title ??= now
      const isLoading = document.querySelector('main [class*="animate-appear"], main [aria-busy="true"]')
      if (title !== undefined && !isLoading) return { title: title - began, all: now - began }
      if (now - began > 20_000) throw new Error(`${text} did not load.`)
    }
  }, name)
}

async function measureChanges(page: Page): Promise<void> {
  const first = new Map<string, number>()
  const times = new Map<string, { title: number; all: number }[]>(LINKS.map((name) => [name, []]))
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const name of LINKS) {
      const time = await changePage(page, name)
      if (round === 0) first.set(name, time.all)
      else times.get(name)?.push(time)
      await sleep(200)
    }
  }
  console.log(
    `  ${ROUNDS} changes to each page: until its title is painted, and all of it; the first time with its code`,
  )
  const report = (name: string, all: { title: number; all: number }[], once?: number) => {
    const of = (share: number, part: 'title' | 'all') =>
      quantile(
        all.map((sample) => sample[part]),
        share,
      )
        .toFixed(0)
        .padStart(4)
    const start = once === undefined ? '' : `   first ${once.toFixed(0)} ms`
    console.log(
      `    ${name.padEnd(12)} title p75 ${of(0.75, 'title')}   all p50 ${of(0.5, 'all')} p75 ${of(0.75, 'all')} p99 ${of(0.99, 'all')} ms${start}`,
    )
  }
  for (const [name, all] of times) report(name, all, first.get(name))
  const every = [...times.values()].flat()
  report('every page', every)
  const p75 = quantile(
    every.map(({ all }) => all),
    0.75,
  )
  if (p75 >= CHANGE_WANTED_MS) console.log(`    wanted: a p75 below ${CHANGE_WANTED_MS} ms`)
}

/** Scrolls down and up through 100 leads, then opens the next page. @returns the times between frames */
async function scroll(page: Page): Promise<number[]> {
  const session = await page.context().newCDPSession(page)
  await page.evaluate(() => {
    const frames: number[] = []
    Object.assign(globalThis, { frames })
    const tick = (at: number) => {
      frames.push(at)
      requestAnimationFrame(tick)
    }
    requestAnimationFrame(tick)
  })
  const frames: number[] = []
  for (let time = 0; time < SCROLLS; time += 1) {
    await page.evaluate(() => (globalThis as unknown as { frames: number[] }).frames.splice(0))
    for (const yDistance of [-3_500, 3_500])
      await session.send('Input.synthesizeScrollGesture', { x: 700, y: 500, yDistance, speed: 2_500 })
    const seen = await page.evaluate(() => (globalThis as unknown as { frames: number[] }).frames)
    frames.push(...seen.slice(1).map((at, index) => at - (seen[index] ?? at)))
    await page.getByRole('button', { name: 'Next', exact: true }).click()
    await page.locator('main [aria-busy="true"]').waitFor({ state: 'detached' })
    await sleep(500)
  }
  return frames
}

const product = await openFreshProduct()
const browser = await chromium.launch({
  executablePath: await findBrowser((line) => console.error(line)),
  args: ['--no-sandbox', '--disable-background-networking'],
})
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  await importPeople(product, await logIn(page, product))
  console.log(`\n  ${formatNumber(LEADS)} leads   (load ${loadavg()[0]?.toFixed(1)})`)
  await measureChanges(page)

  await page.goto(`${product.origin}/leads`)
  await page.getByLabel('Rows').selectOption('100')
  await page.locator('main tbody tr').nth(99).waitFor()
  const frames = await scroll(page)
  const missed = frames.filter((time) => time > FRAME_MAX_MS).length
  const seconds = frames.reduce((sum, time) => sum + time, 0) / 1_000
  console.log(
    `  scrolling ${SCROLLS} pages of 100 leads: ${(frames.length / seconds).toFixed(1)} frames a second, ` +
      `${missed} of ${formatNumber(frames.length)} late, the longest ${Math.max(...frames).toFixed(0)} ms`,
  )
} finally {
  await browser.close()
  await product.close()
}
