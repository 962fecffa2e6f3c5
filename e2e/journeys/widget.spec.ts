import { createHmac } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ForeignSite, openForeignSite } from '../foreign-site.ts'
import { confirmEmail, expectSoundPage, openWorld, type World } from '../world.ts'

let world: World
let site: ForeignSite
/** The widget owner's referral code. */
let code: string
const pages: Record<string, string> = {}
const OPERATOR = 'operator@example.com'
const PASSWORD = 'Correct-horse1'
beforeAll(async () => {
  world = await openWorld({ OPERATORS: OPERATOR })
  site = await openForeignSite(pages)
  afterAll(() => site.close())
  code = (await join('owner@example.com')).referralCode
  const document = (scheme: string, body: string) =>
    `<!doctype html><html lang="en" style="color-scheme: ${scheme}"><head><title>A blog</title><link rel="icon" href="data:,"><meta name="viewport" content="width=device-width"><meta name="description" content="Another site"></head><body><main><h1>A blog</h1>${body}</main></body></html>`
  const snippet = (more = '') => `<script src="${world.origin}/embed.js" async data-ref="${code}"${more}></script>`
  pages['/'] = document('light', `<p id="before">Before</p>${snippet()}<p id="after">After</p>`)
  pages['/dark'] = document('dark', snippet())
  pages['/frames'] = document('light', '<iframe title="theirs"></iframe>')
})

async function join(email: string, referralCode?: string) {
  const response = await fetch(`${world.origin}/api/waitlist/join`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, referralCode }),
  })
  expect(response.status).toBe(200)
  return (await response.json()) as { position: number; referralCode: string }
}

const widgetOn = (page: Page) => page.frameLocator('iframe[title="Join the X-Automated waitlist"]')
/** Checks that the frame is exactly as high as its content. */
async function expectFitting(page: Page) {
  const frame = page.locator('iframe')
  const inside = widgetOn(page).locator('body')
  await expect
    .poll(async () => {
      const content = await inside.evaluate((body) => Math.ceil(body.getBoundingClientRect().height))
      return (await frame.evaluate((element) => element.clientHeight)) - content
    })
    .toBe(0)
}

describe('the join widget on a foreign site', () => {
  it("joins with its owner's code, fits its content and shows the position", async () => {
    const page = await world.openPage({ full: true })
    let bytes = 0
    page.on('response', async (response) => {
      if (!response.url().startsWith(world.origin)) return
      const { responseBodySize, responseHeadersSize } = await response.request().sizes()
      bytes += responseBodySize + responseHeadersSize
    })
    await page.goto(site.origin)
    const widget = widgetOn(page)
    await widget.getByText('1+ people have already joined').waitFor()
    await page.waitForLoadState('networkidle')

    expect(bytes).toBeLessThan(25_000)
    // The widget appears at its script tag.
    expect(await page.locator('#before ~ iframe ~ #after').count()).toBe(1)
    await expectFitting(page)
    await expectSoundPage(page)
    expect(await page.context().cookies()).toEqual([])

    // The email is validated on blur, then on each change and on submit.
    const email = widget.getByLabel('Email')
    const button = widget.getByRole('button', { name: 'GET EARLY ACCESS' })
    await button.click()
    await widget.getByText('Please enter your email address').waitFor()
    await email.fill('ada@')
    await widget.getByText('Invalid email format').waitFor()
    await expectFitting(page)
    await expectSoundPage(page)
    await email.fill('ada@example.com')
    await widget.getByText('Invalid email format').waitFor({ state: 'hidden' })

    // Server errors are shown.
    world.expectConsole(/Failed to load resource/)
    await page.route('**/api/waitlist/join', (route) => route.abort())
    await button.click()
    await widget.getByText('Failed to join the waitlist. Please try again later.').waitFor()
    await page.unroute('**/api/waitlist/join')

    await page.evaluate(() => {
      addEventListener('x-automated:joined', (event) => {
        document.title = `joined at ${(event as CustomEvent).detail.position}`
      })
    })
    await button.click()
    await widget.getByText('Your position: #2', { exact: true }).waitFor()
    await widget.getByText("You're on the waitlist!").waitFor()
    await widget.getByText('2+ people have already joined').waitFor()
    await expect.poll(() => page.title()).toBe('joined at 2')
    expect(await widget.getByLabel('Your referral link').inputValue()).toMatch(`${world.origin}/waitlist?ref=`)
    await expectFitting(page)
    await expectSoundPage(page)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: world.origin })
    await widget.getByRole('button', { name: 'Copy' }).click()
    await widget.getByText('Copied!').waitFor()

    // On a phone without third-party storage, joining again shows the same position.
    await page.setViewportSize({ width: 390, height: 844 })
    await page.reload()
    await email.fill('ADA@example.com')
    await button.click()
    await widget.getByText('User already exists').waitFor()
    await widget.getByText('Your position: #2', { exact: true }).waitFor()
    await expectFitting(page)
    await expectSoundPage(page)
    await widget.getByRole('button', { name: 'Use a different email' }).click()
    await button.waitFor()

    // With storage, returning visitors see their position immediately.
    await page.goto(`${world.origin}/embed`)
    await page.getByLabel('Email').fill('ada@example.com')
    await page.getByRole('button', { name: 'GET EARLY ACCESS' }).click()
    await page.getByText('User already exists').waitFor()
    await page.reload()
    await page.getByText('Your position: #2', { exact: true }).waitFor()
    await expectSoundPage(page)

    // The referral counts for the owner, who stays first.
    const positionResponse = await fetch(`${world.origin}/api/waitlist/position`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'owner@example.com' }),
    })
    expect(await positionResponse.json()).toMatchObject({ referralCount: 1 })
  })

  it('follows the color scheme of its page and ignores other windows', async () => {
    const page = await world.openPage({ width: 390, height: 844 })
    await page.goto(`${site.origin}/dark`)
    const root = widgetOn(page).locator('html')
    await widgetOn(page).getByRole('button', { name: 'GET EARLY ACCESS' }).waitFor()
    const theme = () => root.getAttribute('data-theme')
    expect(await theme()).toBe('dark')
    await expectSoundPage(page)
    await page.evaluate(() => document.querySelector('script')?.setAttribute('data-theme', 'light'))
    await expect.poll(theme).toBe('light')
    await page.evaluate(() => {
      document.querySelector('script')?.removeAttribute('data-theme')
      document.documentElement.style.colorScheme = 'dark'
    })
    await expect.poll(theme).toBe('dark')

    // Both sides ignore messages from a third window.
    await expectFitting(page)
    const height = await page.locator('iframe').evaluate((frame) => {
      postMessage({ type: 'x-automated:size', height: 1000 }, '*')
      return new Promise<number>((resolve) => setTimeout(() => resolve(frame.clientHeight), 100))
    })
    expect(height).toBeLessThan(1000)
    await root.evaluate(() => postMessage({ type: 'x-automated:theme', theme: 'light' }, '*'))
    expect(await theme()).toBe('dark')
  })

  it('is the only page that other sites may frame', async () => {
    const page = await world.openPage()
    world.expectConsole(
      /frame-ancestors|X-Frame-Options|Refused to (display|frame)|violates the following|status of 404/,
    )
    await page.goto(`${site.origin}/frames`)
    const heading = async (path: string) => {
      const frame = page.locator('iframe')
      await frame.evaluate(
        (element, src) =>
          new Promise((resolve) => {
            element.addEventListener('load', resolve, { once: true })
            ;(element as HTMLIFrameElement).src = src
          }),
        world.origin + path,
      )
      return page.frameLocator('iframe').getByRole('heading', { level: 1 }).count()
    }
    for (const path of ['/', '/waitlist', '/login', '/dashboard', '/api/docs', '/nothing'])
      expect([path, await heading(path)]).toEqual([path, 0])
    expect(await heading('/embed')).toBe(1)
  })
})

/** Signs up with a verified address, and signs in. */
async function signIn(page: Page, email: string) {
  const response = await fetch(`${world.origin}/api/auth/sign-up/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: PASSWORD }),
  })
  expect(response.status).toBe(200)
  await confirmEmail(world, email)
  await page.goto('/login')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Log In' }).click()
  await page.waitForURL('**/dashboard')
}

it("offers members the snippet and sends joins to an operator's webhook", async () => {
  const page = await world.openPage()
  await signIn(page, OPERATOR)
  await page.getByRole('button', { name: 'Embed on your site' }).click()
  const embed = page.getByRole('dialog', { name: 'Embed on your site' })
  const snippet = embed.getByLabel('Snippet')
  expect(await snippet.inputValue()).toMatch(
    new RegExp(`^<script src="${world.origin}/embed.js" async data-ref="[A-Za-z0-9]{6,8}"></script>$`),
  )
  await embed.getByLabel('Colors').selectOption('dark')
  expect(await snippet.inputValue()).toContain('data-theme="dark"')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await embed.getByRole('button', { name: 'Copy snippet' }).click()
  await embed.getByText('Copied!').waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(await snippet.inputValue())
  await expectSoundPage(page)

  await page.goto('/operator?tab=webhooks')
  await page.getByText('No webhooks yet').waitFor()
  await expectSoundPage(page)
  await page.getByRole('button', { name: 'Add webhook' }).click()
  const form = page.getByRole('dialog', { name: 'Add webhook' })
  await form.getByRole('button', { name: 'Add webhook' }).click()
  await form.getByText('URL must be a web address, like https://example.com/hooks.').waitFor()
  await expectSoundPage(page)
  await form.getByRole('textbox', { name: 'URL' }).fill(`${site.origin}/hook`)
  await form.getByRole('button', { name: 'Add webhook' }).click()
  const dialog = page.getByRole('dialog', { name: 'Signing secret' })
  const secret = await dialog.getByLabel('Secret').inputValue()
  expect(secret).toMatch(/^whsec_/)
  await expectSoundPage(page)
  await dialog.getByRole('button', { name: 'Done' }).click()

  await join('grace@example.com')
  await expect.poll(() => site.received.length, { timeout: 120_000 }).toBeGreaterThanOrEqual(1)
  const delivery = site.received.find(({ body }) => body.includes('member.joined'))
  if (!delivery) throw new Error('the webhook received no join')
  const { headers, body } = delivery
  expect(JSON.parse(body)).toMatchObject({ type: 'member.joined', data: { email: 'grace@example.com' } })
  const signature = createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
    .update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`)
    .digest('base64')
  expect(headers['webhook-signature']).toBe(`v1,${signature}`)

  site.answerWith(500)
  await page.getByRole('button', { name: 'Send test' }).click()
  await page.getByText('Test failed: HTTP 500.').waitFor()
  await page.setViewportSize({ width: 390, height: 844 })
  await expectSoundPage(page)
  await page.getByRole('button', { name: 'Delivery log' }).click()
  const log = page.getByRole('dialog', { name: 'Delivery log' })
  await log.getByRole('row').filter({ hasText: 'HTTP 200' }).first().waitFor()
  const failed = log.getByRole('row').filter({ hasText: 'Failed' }).filter({ hasText: 'HTTP 500' })
  await failed.getByText('Failed', { exact: true }).waitFor()
  await expectSoundPage(page)
  site.answerWith(200)
  const before = site.received.length
  await failed.getByRole('button', { name: 'Redeliver' }).click()
  await expect.poll(() => site.received.length, { timeout: 120_000 }).toBe(before + 1)
  await log.getByRole('row').filter({ hasText: 'Test' }).nth(1).waitFor()
})
