import lighthouse from 'lighthouse'
import { chromium } from 'playwright-core'
import { findBrowser } from '../tools/browser.ts'
import { freePort, openFreshProduct } from '../tools/fresh-product.ts'

/*
 * Runs Lighthouse on the public pages served by `npm start`, with its throttled mobile settings.
 * Uses the median of several runs. Fails if a page misses its minimum scores.
 */

const PATHS = ['/', '/pricing', '/waitlist', '/leaderboard', '/login']
const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'] as const
type Category = (typeof CATEGORIES)[number]
/** Minimum scores, out of 100. */
const LEAST: Record<Category, number> = { performance: 98, accessibility: 100, 'best-practices': 100, seo: 100 }
/** Maximum largest contentful paint of the landing page. */
const LANDING_LCP_MAX_MS = 1_200
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)
/** Attempts per run, because a busy machine can make Lighthouse fail. */
const TRIES = 3

interface Look {
  scores: Record<Category, number>
  firstPaintMs: number
  largestPaintMs: number
  blockedMs: number
  shift: number
  bytes: number
  /** Audits that lowered the score. */
  missed: string[]
}

async function lookAt(url: string, port: number): Promise<Look> {
  for (let tries = 1; ; tries++) {
    try {
      return await lookOnce(url, port)
    } catch (error) {
      if (tries === TRIES) throw error
    }
  }
}

async function lookOnce(url: string, port: number): Promise<Look> {
  const result = await lighthouse(url, {
    port,
    output: 'json',
    logLevel: 'error',
    onlyCategories: [...CATEGORIES],
  })
  if (!result) throw new Error(`Lighthouse said nothing of ${url}.`)
  const { audits, categories, runtimeError } = result.lhr
  if (runtimeError) throw new Error(`Lighthouse could not look at ${url}: ${runtimeError.message}`)
  const value = (id: string) => audits[id]?.numericValue ?? Number.NaN
  if (Number.isNaN(value('largest-contentful-paint'))) throw new Error(`Lighthouse saw nothing drawn of ${url}.`)
  const scoreOf = (id: Category) => Math.round((categories[id]?.score ?? 0) * 100)
  return {
    scores: Object.fromEntries(CATEGORIES.map((id) => [id, scoreOf(id)])) as Record<Category, number>,
    firstPaintMs: value('first-contentful-paint'),
    largestPaintMs: value('largest-contentful-paint'),
    blockedMs: value('total-blocking-time'),
    shift: value('cumulative-layout-shift'),
    bytes: value('total-byte-weight'),
    missed: CATEGORIES.flatMap((id) => categories[id]?.auditRefs ?? [])
      .filter(({ id, weight }) => weight > 0 && (audits[id]?.score ?? 1) < 0.9)
      .map(({ id }) => id),
  }
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

/** @returns whether the page reaches its minimum scores */
function report(path: string, looks: Look[]): boolean {
  const of = (pick: (look: Look) => number) => median(looks.map(pick))
  const scores = CATEGORIES.map((id) => ({ id, score: of((look) => look.scores[id]) }))
  const lcp = of((look) => look.largestPaintMs)
  const isKept = scores.every(({ id, score }) => score >= LEAST[id]) && (path !== '/' || lcp <= LANDING_LCP_MAX_MS)
  const cells = [
    ...scores.map(({ score }) => String(score).padStart(6)),
    `${(of((look) => look.firstPaintMs) / 1000).toFixed(2)} s`.padStart(9),
    `${(lcp / 1000).toFixed(2)} s`.padStart(9),
    `${of((look) => look.blockedMs).toFixed(0)} ms`.padStart(9),
    of((look) => look.shift)
      .toFixed(3)
      .padStart(8),
    `${(of((look) => look.bytes) / 1000).toFixed(0)} KB`.padStart(9),
  ]
  const missed = [...new Set(looks.flatMap((look) => look.missed))].join(', ')
  console.log(`  ${path.padEnd(14)}${cells.join('')}  ${isKept ? '' : 'MISSED '}${missed}`)
  return isKept
}

const product = await openFreshProduct()
const port = await freePort()
const browser = await chromium.launch({
  executablePath: await findBrowser((line) => console.error(line)),
  args: ['--no-sandbox', '--disable-background-networking', `--remote-debugging-port=${port}`],
})
try {
  console.log(
    `\n  median of ${ROUNDS} looks (perf, a11y, best practices, SEO; first and largest paint, main thread blocked, layout shift, bytes)`,
  )
  for (const path of PATHS) {
    const looks: Look[] = []
    for (let round = 0; round < ROUNDS; round++) looks.push(await lookAt(product.origin + path, port))
    if (!report(path, looks)) process.exitCode = 1
  }
} finally {
  await browser.close()
  await product.close()
}
