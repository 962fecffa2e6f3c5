import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
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

/** The product as a user meets it: a server process of its own, its stand-ins, and a browser. */
export interface World {
  /** Where the product is, without a trailing slash. */
  origin: string
  x: X
  mailbox: Mailbox
  payments: Payments
  /** Ends the server at once (SIGKILL), as a power cut would. */
  killServer(): Promise<void>
  /** Starts it again, on the same port and database. */
  startServer(): Promise<void>
  /** A page in a browser profile of its own, closed after its test. A console error or a broken content security policy on it fails the test. */
  openPage(options?: { width?: number; height?: number; dark?: boolean; script?: boolean }): Promise<Page>
  /** Gives the workspace of somebody who has signed up the Agency plan, whose leads have no limit. */
  subscribe(email: string): Promise<void>
  /** Gives somebody another role in the workspace of their own, which is what they find when they sign in next. */
  setRole(email: string, role: Role): Promise<void>
  /** Console errors that the test means to cause. */
  expectConsole(matching: RegExp): void
}

const MAIN = fileURLToPath(new URL('../server/src/main.ts', import.meta.url))

/**
 * Opens a world for one test file; it is closed when the file ends.
 * @param env of the server, beside what every journey has
 * @param options.xPages X's pages are there as https://x.com too, for a browser that is led to them (extension-world.ts)
 * @param options.pages false where the file opens none here, and so needs no browser of this world's
 */
export async function openWorld(
  env: Record<string, string> = {},
  { xPages = false, pages = true } = {},
): Promise<World> {
  // It starts beside the server, which takes as long.
  let browser = pages ? launchBrowser() : null
  browser?.catch(() => {})
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
    const child = spawn(process.execPath, [MAIN], {
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
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
      // A page that outlives its test would report what the next one does to its session.
      for (const context of contexts.splice(0)) await context.close()
      const surprises = problems.splice(0).filter((problem) => !expected.some((matching) => matching.test(problem)))
      expected.length = 0
      expect(surprises, 'console errors').toEqual([])
    },
    async close() {
      await (await browser)?.close()
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
    expectConsole: (matching) => expected.push(matching),
    async openPage({ width = 1280, height = 900, dark = false, script = true } = {}) {
      browser ??= launchBrowser()
      const context = await (await browser).newContext({
        baseURL: origin,
        viewport: { width, height },
        colorScheme: dark ? 'dark' : 'light',
        reducedMotion: 'reduce',
        javaScriptEnabled: script,
      })
      contexts.push(context)
      const page = await context.newPage()
      // So long that a busy machine fails no journey.
      page.setDefaultTimeout(40_000)
      page.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning')
          problems.push(`${message.type()}: ${message.text()}`)
      })
      page.on('pageerror', (error) => problems.push(`page error: ${error.message}`))
      return page
    },
  }
}

function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: inject('browserPath'),
    args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  })
}

/** No axe violation (of all rules, or of those named), and nothing that scrolls the page sideways. */
export async function expectSoundPage(page: Page, rules?: string[]): Promise<void> {
  // A change of colours comes down the page a frame a level: axe looks when it is there.
  await expect
    .poll(() => page.evaluate(() => document.getAnimations().filter((one) => one instanceof CSSTransition).length))
    .toBe(0)
  // Within one document axe needs no second page to put its answers together, nor every element that is sound: a third of the time.
  const isOneDocument = page.frames().length === 1
  // Half of what a look costs is axe itself coming in: once is enough for a document.
  const isThere = isOneDocument && (await page.evaluate(() => 'axe' in globalThis))
  const axe = new AxeBuilder({ page, ...(isThere && { axeSource: ';' }) })
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

/** As `expectSoundPage`, wide and light, then narrow and dark. */
export async function expectSoundBothWays(page: Page): Promise<void> {
  await expectSoundPage(page)
  await page.setViewportSize({ width: 390, height: 844 })
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  await expectSoundPage(page)
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  await page.setViewportSize({ width: 1280, height: 900 })
}

/** The link in the newest mail to an address whose subject fits, once it has come. */
export async function linkInMail(mailbox: Mailbox, to: string, subject: RegExp): Promise<string> {
  for (let tries = 0; tries < 200; tries += 1) {
    const mails = (await (await fetch(`${mailbox.url}/messages?to=${encodeURIComponent(to)}`)).json()) as {
      subject: string
      text: string
    }[]
    const link = mails.find((mail) => subject.test(mail.subject))?.text.match(/https?:\/\/\S+/)?.[0]
    if (link) return link
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`no mail to ${to} about ${subject}`)
}

/** The password of accounts that journeys make. */
export const PASSWORD = 'Correct-horse1'

/** Somebody with a confirmed account. */
export interface SignedUp {
  token: string
  /** Is signed in on whatever the page opens next. */
  enter(page: Page): Promise<void>
}

/** Signs somebody up, confirms their address by the mailed link, and signs them in. */
export async function signUp(world: World, email: string): Promise<SignedUp> {
  await postAuth(world, 'sign-up/email', email)
  await confirmEmail(world, email)
  return signIn(world, email)
}

/** Confirms the address of a sign-up by its emailed link. @param password the account's from then on */
export async function confirmEmail(world: World, email: string, password = PASSWORD): Promise<void> {
  const link = new URL(await linkInMail(world.mailbox, email, /^Confirm/))
  const answer = await fetch(`${world.origin}/api/auth/verify-email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: link.searchParams.get('token'), password }),
  })
  expect(answer.status).toBe(200)
}

/** Signs somebody in who has an account, in a session of its own. */
export async function signIn(world: World, email: string): Promise<SignedUp> {
  const { token, refreshToken, user } = await postAuth(world, 'sign-in/email', email)
  return {
    token: token ?? '',
    async enter(page) {
      // Any answer of the origin's will do: none of the app has to load for it.
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

/** Once Google's page is there: ours have such a field, too. */
export async function signInAtGoogle(page: Page, email: string): Promise<void> {
  const goOn = page.getByRole('button', { name: 'Continue', exact: true })
  await goOn.waitFor()
  await page.getByLabel('Email', { exact: true }).fill(email)
  await goOn.click()
}

async function postAuth(world: World, path: string, email: string): Promise<Record<string, string>> {
  const answer = await fetch(`${world.origin}/api/auth/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: PASSWORD }),
  })
  expect(answer.status).toBe(200)
  return answer.json() as Promise<Record<string, string>>
}

/** Takes in a file of leads. @param token of whose workspace @param lines the first names the columns */
export async function importLeads({ origin }: Pick<World, 'origin'>, token: string, lines: string[]): Promise<void> {
  const answer = await fetch(`${origin}/api/leads/import`, {
    method: 'POST',
    headers: { 'content-type': 'text/csv', authorization: `Bearer ${token}` },
    body: lines.join('\n'),
  })
  expect(answer.status).toBe(200)
}

/** Calls the API as who is signed in on the page; null where it answers without a body. */
export async function callApi(page: Page, method: string, path: string, body?: unknown, type = 'application/json') {
  const token = await page.evaluate(() => localStorage.getItem('authToken'))
  const answer = await fetch(`${new URL(page.url()).origin}/api${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': type },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  expect(answer.status).toBeLessThan(300)
  return answer.status === 204 ? null : answer.json()
}

/**
 * Stops the page's clock, which has to be installed: from here on only `page.clock.runFor` moves it. Neither axe nor what waits
 * for an answer works before `page.clock.resume()`.
 */
export async function stopClock(page: Page): Promise<void> {
  await page.clock.pauseAt(new Date((await page.evaluate(() => Date.now())) + 10_000))
}

/** Moves a stopped clock in small steps until something is to be seen that an answer of the server brings. */
export async function tickUntil(page: Page, awaited: Locator): Promise<void> {
  for (let ticks = 0; !(await awaited.isVisible()); ticks += 1) {
    if (ticks === 300) throw new Error(`not to be seen: ${awaited}`)
    await page.clock.runFor(5)
    await new Promise((resolve) => setTimeout(resolve, 30))
  }
}

/** Moves a clock that was installed past the pauses between two tries of a call that fails, until something is to be seen. */
export async function hastenUntil(page: Page, awaited: Locator): Promise<void> {
  for (let tries = 0; !(await awaited.isVisible()); tries += 1) {
    if (tries === 300) throw new Error(`not to be seen: ${awaited}`)
    await page.clock.fastForward(500)
    await new Promise((resolve) => setTimeout(resolve, 30))
  }
}

/** Answers a call in the server's place with a refusal. */
export async function refuse(route: Route, status: number, code: string, error: string): Promise<void> {
  await route.fulfill({ status, json: { success: false, code, error } })
}

/** Keeps what the page would open in windows of their own, in `popups`, instead of opening it. */
export async function recordPopups(page: Page): Promise<void> {
  await page.addInitScript(`popups = []; open = (...given) => { popups.push(given); return null }`)
}

/** Every direct message that took effect at the stand-in X, oldest first. */
export async function messagesAtX(x: X): Promise<{ id: string; from: string; to: string; text: string }[]> {
  return (await fetch(`${x.url}/_log/dms`)).json() as Promise<{ id: string; from: string; to: string; text: string }[]>
}

/** A port that stays free: below those that the system gives to connections, one of which could take it before the server does. */
async function freePort(): Promise<number> {
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
