import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AxeBuilder } from '@axe-core/playwright'
import type { Role } from '@x-automated/contract/route'
import { cloneDatabase } from '@x-automated/server/test/database.ts'
import { watch } from '@x-automated/server/test/opened.ts'
import { paymentsEnv } from '@x-automated/server/test/payments-env.ts'
import { type Mailbox, startMailbox } from '@x-automated/stand-ins/mailbox'
import { type Payments, startPayments } from '@x-automated/stand-ins/payments'
import { startX, type X } from '@x-automated/stand-ins/x'
import { type Browser, type BrowserContext, chromium, type Locator, type Page, type Route } from 'playwright-core'
import { expect, inject } from 'vitest'
import { selfSigned } from './certificate.ts'

/** The whole product: a server process, its stand-ins and a browser. */
export interface World {
  /** The product's origin. */
  origin: string
  x: X
  mailbox: Mailbox
  payments: Payments
  /** Kills the server (SIGKILL). */
  killServer(): Promise<void>
  /** Restarts the server on the same port and database. */
  startServer(): Promise<void>
  /**
   * Opens a page in a new browser profile until the test ends. Console errors and CSP violations
   * fail the test.
   */
  openPage(options?: {
    width?: number
    height?: number
    dark?: boolean
    script?: boolean
    /** Uses a full browser, because the headless shell has no clipboard in frames. */
    full?: boolean
  }): Promise<Page>
  /** Puts the person's workspace on the Agency plan, which has unlimited leads. */
  subscribe(email: string): Promise<void>
  /** Changes a person's role in their own workspace. Applies from the next sign-in. */
  setRole(email: string, role: Role): Promise<void>
  /** Prepares a retry: renames the first attempt's account and member, and deletes all emails. */
  freeAddress(email: string): Promise<void>
  /** Runs a scheduled job now. */
  runJob(name: string): Promise<void>
  /** Makes jobs wait before the last of these leads, until the returned function is called. */
  holdJobs(handlePrefix: string): Promise<() => Promise<void>>
  /** Allows console errors that match. */
  expectConsole(matching: RegExp): void
}

/** The bundle that `npm start` runs. It loads in half the time of the sources. */
const MAIN = fileURLToPath(new URL('../server/build/main.js', import.meta.url))
/** Axe's minified code, because each document parses it. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const CHEAP_PASSWORDS = new URL('../server/test/cheap-passwords.ts', import.meta.url).href
const COMPILE_CACHE = fileURLToPath(new URL('../node_modules/.cache/compiled-server', import.meta.url))

/**
 * Opens a world until the end of the test file.
 * @param env adds to the server's environment
 * @param options.xPages also serves X's pages as https://x.com
 * @param options.pages false for no browser
 */
export async function openWorld(
  env: Record<string, string> = {},
  { xPages = false, pages = true } = {},
): Promise<World> {
  // The browser starts in parallel with the server.
  if (pages) openBrowser('headlessShellPath').catch(() => {})
  const stateDir = mkdtempSync(join(tmpdir(), 'x-automated-journey-'))
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const [database, x, mailbox, payments] = await Promise.all([
    cloneDatabase(inject('clusterUrl')),
    startX({ stateDir, answerAfterMs: 60_000, ...(xPages && { tls: selfSigned('x.com') }) }),
    startMailbox({ stateDir }),
    startPayments({ stateDir, returnUrl: `${origin}/billing?checkout=success` }),
  ])
  let server: ChildProcess | null = null
  const output: string[] = []

  const startServer = async () => {
    const child = spawn(process.execPath, ['--import', CHEAP_PASSWORDS, MAIN], {
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        // Reduces startup time by a fifth.
        NODE_COMPILE_CACHE: COMPILE_CACHE,
        PORT: String(port),
        PUBLIC_URL: origin,
        DATA_DIR: stateDir,
        DATABASE_URL: database.url,
        STAND_INS: 'on',
        X_API_URL: x.url,
        X_CLIENT_ID: x.clientId,
        X_CLIENT_SECRET: x.clientSecret ?? '',
        X_CONSUMER_SECRET: x.consumerSecret,
        X_BEARER_TOKEN: x.bearerToken,
        ...paymentsEnv(payments),
        SMTP_URL: mailbox.smtpUrl,
        SEND_INTERVAL_SECONDS: '0',
        LOG_LEVEL: 'warn',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => output.push(chunk.toString()))
    const ready = new Promise<void>((resolve, reject) => {
      child.on('message', (message: { type?: string }) => message.type === 'listening' && resolve())
      child.once('exit', (code) => reject(new Error(`the server ended with ${code}:\n${output.join('')}`)))
    })
    await ready
    server = child
  }
  const endServer = async (signal: NodeJS.Signals) => {
    const child = server
    server = null
    if (!child || child.exitCode !== null) return
    const exit = once(child, 'exit')
    child.kill(signal)
    await exit
  }
  await startServer()

  const contexts: BrowserContext[] = []
  const problems: string[] = []
  const expected: RegExp[] = []

  watch({
    async check() {
      // A page that outlives its test would log errors once the next test ends its session.
      for (const context of contexts.splice(0)) await context.close()
      const surprises = problems.splice(0).filter((problem) => !expected.some((matching) => matching.test(problem)))
      expected.length = 0
      expect(surprises, 'console errors').toEqual([])
    },
    async close() {
      await endServer('SIGTERM')
      await Promise.all([x.close(), mailbox.close(), payments.close()])
      await database.drop()
      rmSync(stateDir, { recursive: true, force: true })
    },
  })

  return {
    origin,
    x,
    mailbox,
    payments,
    killServer: () => endServer('SIGKILL'),
    startServer,
    async subscribe(email) {
      const subscribed = await database.run(
        `insert into subscriptions (workspace_id, plan_id, status, current_period_end)
         select w.id, 'agency_monthly', 'active', now() + interval '30 days'
         from workspaces w join auth_users u on u.id = w.personal_of where u.email = $1`,
        [email],
      )
      expect(subscribed, `workspaces of ${email}`).toBe(1)
    },
    async setRole(email, role) {
      const changed = await database.run(
        `update workspace_members m set role = $2 from workspaces w join auth_users u on u.id = w.personal_of
         where m.workspace_id = w.id and m.user_id = u.id and u.email = $1`,
        [email, role],
      )
      expect(changed, `memberships of ${email}`).toBe(1)
    },
    async freeAddress(email) {
      const earlier = `earlier-${randomUUID()}@example.com`
      const renamed = await database.run('update auth_users set email = $2 where email = $1', [email, earlier])
      if (renamed === 0) return
      await database.run('update users set email = $2, normalized_email = $2 where email = $1', [email, earlier])
      await fetch(`${mailbox.url}/messages`, { method: 'DELETE' })
    },
    async runJob(name) {
      await database.run('insert into pgboss.job (name) values ($1)', [name])
    },
    holdJobs: (handlePrefix) =>
      database.hold(
        `select from leads where twitter_handle like '${handlePrefix}%' order by id desc limit 1 for update`,
      ),
    expectConsole: (matching) => expected.push(matching),
    async openPage({ width = 1280, height = 900, dark = false, script = true, full = false } = {}) {
      const context = await (await openBrowser(full ? 'browserPath' : 'headlessShellPath')).newContext({
        baseURL: origin,
        viewport: { width, height },
        colorScheme: dark ? 'dark' : 'light',
        reducedMotion: 'reduce',
        javaScriptEnabled: script,
      })
      contexts.push(context)
      const page = await context.newPage()
      page.setDefaultTimeout(120_000)
      page.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning')
          problems.push(`${message.type()}: ${message.text()} ${message.location().url}`)
      })
      page.on('pageerror', (error) => problems.push(`page error: ${error.message}`))
      return page
    },
  }
}

type BrowserKind = 'browserPath' | 'headlessShellPath'
const browsers: Partial<Record<BrowserKind, Promise<Browser>>> = {}

/** Returns this worker's browser, which ends with the worker. A crashed browser is replaced. */
function openBrowser(kind: BrowserKind): Promise<Browser> {
  browsers[kind] ??= launchBrowser(kind)
  return browsers[kind]
}

async function launchBrowser(kind: BrowserKind): Promise<Browser> {
  const launched = await chromium.launch({
    executablePath: inject(kind),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      // Without hinting, text is as wide as in a regular browser.
      '--font-render-hinting=none',
      // Pages live for seconds, and optimizing their code would take a third of the browser's time.
      '--js-flags=--no-maglev --no-turbofan',
    ],
  })
  launched.once('disconnected', () => {
    delete browsers[kind]
  })
  return launched
}

/** Checks for axe violations (of all rules or the given ones) and horizontal overflow. */
export async function expectSoundPage(page: Page, rules?: string[]): Promise<void> {
  // Wait for colors, whose changes propagate one level per frame.
  await expect
    .poll(() =>
      page.evaluate(() => document.getAnimations().filter((animation) => animation instanceof CSSTransition).length),
    )
    .toBe(0)
  // Without frames, axe needs neither a second page nor a list of passes, which saves two thirds of
  // the time.
  const isOneDocument = page.frames().length === 1
  // Inject axe once per document, because injecting is half of the cost.
  const isThere = isOneDocument && (await page.evaluate(() => 'axe' in globalThis))
  const axe = new AxeBuilder({ page, axeSource: isThere ? ';' : AXE })
    .setLegacyMode(isOneDocument)
    .options({ resultTypes: ['violations'], ...(rules && { runOnly: rules }) })
  const { violations } = await axe.analyze()
  expect(violations.map((v) => `${v.id}: ${v.nodes.map((node) => node.target.join(' ')).join(', ')}`)).toEqual([])
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  )
  expect(overflow, 'pixels that the page scrolls sideways').toBeLessThanOrEqual(0)
  expect(await page.title()).not.toBe('')
  expect(await page.locator('meta[name="description"]').getAttribute('content')).toBeTruthy()
}

/** Runs `expectSoundPage` wide and light, then narrow and dark. */
export async function expectSoundBothWays(page: Page): Promise<void> {
  await expectSoundPage(page)
  await page.setViewportSize({ width: 390, height: 844 })
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  await expectSoundPage(page)
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  await page.setViewportSize({ width: 1280, height: 900 })
}

/** Waits for an email with this subject. @returns its link */
export async function linkInMail(mailbox: Mailbox, to: string, subject: RegExp): Promise<string> {
  for (let tries = 0; tries < 1_200; tries += 1) {
    const mails = (await (await fetch(`${mailbox.url}/messages?to=${encodeURIComponent(to)}`)).json()) as {
      subject: string
      text: string
    }[]
    const link = mails.find((mail) => subject.test(mail.subject))?.text.match(/https?:\/\/\S+/)?.[0]
    if (link) return link
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`no email to ${to} about ${subject}`)
}

/** The password of all test accounts. */
export const PASSWORD = 'Correct-horse1'

/** A user with a confirmed account. */
export interface SignedUp {
  token: string
  /** Signs the page in, from its next navigation. */
  enter(page: Page): Promise<void>
}

/** Signs up, confirms the email and signs in. */
export async function signUp(world: World, email: string): Promise<SignedUp> {
  await world.freeAddress(email)
  await postAuth(world, 'sign-up/email', email)
  await confirmEmail(world, email)
  return signIn(world, email)
}

export const proofDialog = (page: Page) => page.getByRole('dialog', { name: "Confirm it's you" })

/** Reauthenticates with the password. */
export async function reauthenticate(page: Page, password = PASSWORD): Promise<void> {
  await proofDialog(page).getByLabel('Password', { exact: true }).fill(password)
  await proofDialog(page).getByRole('button', { name: 'Confirm', exact: true }).click()
  await proofDialog(page).waitFor({ state: 'detached' })
}

/** Confirms a sign-up with its emailed link. @param password the account's new password */
export async function confirmEmail(world: World, email: string, password = PASSWORD): Promise<void> {
  const link = new URL(await linkInMail(world.mailbox, email, /^Confirm/))
  const response = await fetch(`${world.origin}/api/auth/verify-email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: link.searchParams.get('token'), password }),
  })
  expect(response.status).toBe(200)
}

/** Signs in to an existing account in a new session. */
export async function signIn(world: World, email: string): Promise<SignedUp> {
  const { token, refreshToken, user } = await postAuth(world, 'sign-in/email', email)
  return {
    token: token ?? '',
    async enter(page) {
      // Any page of the origin will do, even one without the app.
      await page.goto('/healthz')
      await page.evaluate(
        (stored) => {
          for (const [name, value] of Object.entries(stored)) localStorage.setItem(name, value)
        },
        { authToken: token ?? '', refreshToken: refreshToken ?? '', authUser: JSON.stringify(user) },
      )
    },
  }
}

/** Signs in on Google's page. Waits for that page first, because our pages have the same field. */
export async function signInAtGoogle(page: Page, email: string): Promise<void> {
  const continueButton = page.getByRole('button', { name: 'Continue', exact: true })
  await continueButton.waitFor()
  await page.getByLabel('Email', { exact: true }).fill(email)
  await continueButton.click()
}

async function postAuth(world: World, path: string, email: string): Promise<Record<string, string>> {
  const response = await fetch(`${world.origin}/api/auth/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: PASSWORD }),
  })
  expect(response.status).toBe(200)
  return response.json() as Promise<Record<string, string>>
}

/** Imports a CSV file of leads. @param lines the first is the header */
export async function importLeads({ origin }: Pick<World, 'origin'>, token: string, lines: string[]): Promise<void> {
  const response = await fetch(`${origin}/api/leads/import`, {
    method: 'POST',
    headers: { 'content-type': 'text/csv', authorization: `Bearer ${token}` },
    body: lines.join('\n'),
  })
  expect(response.status).toBe(200)
}

/** Calls the API as the page's signed-in user. @returns null for an empty body */
export async function callApi(page: Page, method: string, path: string, body?: unknown, type?: string) {
  return callApiAs(new URL(page.url()).origin, await tokenOf(page), method, path, body, type)
}

/** Returns the current token of the page's signed-in user. */
export async function tokenOf(page: Page): Promise<string> {
  return (await page.evaluate(() => localStorage.getItem('authToken'))) ?? ''
}

/** Calls the API with a user's token. @returns null for an empty body */
export async function callApiAs(
  origin: string,
  token: string,
  method: string,
  path: string,
  body?: unknown,
  type = 'application/json',
) {
  const response = await fetch(`${origin}/api${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': type },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  expect(response.status).toBeLessThan(300)
  return response.status === 204 ? null : response.json()
}

/**
 * Stops the page's installed clock, so that only `page.clock.runFor` advances it. Axe and pending
 * responses need `page.clock.resume()`.
 */
export async function stopClock(page: Page): Promise<void> {
  await page.clock.pauseAt(new Date((await page.evaluate(() => Date.now())) + 10_000))
}

/**
 * Advances a stopped clock until a response has made something visible. Waits 30 ms for each
 * millisecond, so that the clock does not reach the next timer on a busy machine.
 */
export async function tickUntil(page: Page, expected: Locator): Promise<void> {
  for (let ticks = 0; !(await expected.isVisible()); ticks += 1) {
    if (ticks === 2_000) throw new Error(`not visible: ${expected}`)
    await page.clock.runFor(1)
    await new Promise((resolve) => setTimeout(resolve, 30))
  }
}

/** Advances an installed clock past retry delays until something is visible. */
export async function hastenUntil(page: Page, expected: Locator): Promise<void> {
  for (let tries = 0; !(await expected.isVisible()); tries += 1) {
    if (tries === 1_200) throw new Error(`not visible: ${expected}`)
    await page.clock.fastForward(500)
    await new Promise((resolve) => setTimeout(resolve, 30))
  }
}

/** Responds to a call with an error. */
export async function refuse(route: Route, status: number, code: string, error: string): Promise<void> {
  await route.fulfill({ status, json: { success: false, code, error } })
}

/** Records popups in `popups` instead of opening them. */
export async function recordPopups(page: Page): Promise<void> {
  await page.addInitScript(`popups = []; open = (...given) => { popups.push(given); return null }`)
}

/** Returns all direct messages on the stand-in X, oldest first. */
export async function messagesAtX(x: X): Promise<{ id: string; from: string; to: string; text: string }[]> {
  return (await fetch(`${x.url}/_log/dms`)).json() as Promise<{ id: string; from: string; to: string; text: string }[]>
}

/** Writes a message at X, as anyone. @param to without the @ */
export async function writeAs(x: X, from: string, to: string, text: string): Promise<void> {
  const response = await fetch(`${x.url}/_people/${from}/reply`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ to, text }),
  })
  expect(response.status).toBe(201)
}

/** Returns a free port below the ephemeral range, so that no connection takes it first. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000)
    const probe = createServer().listen(port, '127.0.0.1')
    const isFree = await once(probe, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    probe.close()
    await once(probe, 'close')
    return port
  }
}
