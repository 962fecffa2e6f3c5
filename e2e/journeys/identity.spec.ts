import { codeOf } from '@x-automated/server/test/one-time-codes.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  expectSoundPage,
  linkInMail,
  openWorld,
  PASSWORD,
  refuse,
  signUp,
  stopClock,
  tickUntil,
  type World,
} from '../world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})

const NEW_PASSWORD = 'Correct-horse2'

describe('signing up and in, in a browser', () => {
  it("validates the form and signs up with a friend's link", async () => {
    const friend = await fetch(`${world.origin}/api/waitlist/join`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'friend@example.com' }),
    })
    const { referralCode } = (await friend.json()) as { referralCode: string }
    const page = await world.openPage({ width: 390, height: 844, dark: true })
    await page.goto(`/?ref=${referralCode}`)
    await page.getByRole('link', { name: 'Sign Up Now' }).click()
    await page.getByRole('heading', { name: 'Create an Account' }).waitFor()
    await page.getByText("You were referred by a friend! You'll both get priority access.").waitFor()
    expect(new URL(page.url()).search).toBe(`?ref=${referralCode}`)
    await expectSoundPage(page)
    await page.getByRole('link', { name: 'Already have an account? Log in' }).click()
    await page.getByRole('heading', { name: 'Welcome Back' }).waitFor()
    await page.getByRole('link', { name: 'Sign Up', exact: true }).click()
    await page.getByText('You were referred by a friend!').waitFor()

    const press = page.getByRole('button', { name: 'Sign Up', exact: true })
    await press.click()
    await page.getByText('You must provide either an email or phone number and a password').waitFor()
    await page.getByLabel('Email').fill('nobody')
    await page.getByLabel('Password', { exact: true }).fill('weak')
    await press.click()
    await page.getByText('Invalid email format').waitFor()
    await page.getByText('Password does not meet the requirements').waitFor()
    await expectSoundPage(page)
    await page.getByLabel('Email').fill('ada@example.com')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    world.expectConsole(/Failed to load resource/)
    world.expectConsole(/^warning: Failed to create user record\./)
    for (const [status, message] of [
      [500, 'Failed to sign up. Please try again.'],
      [429, 'An error occurred'],
    ] as const) {
      await page.route('**/api/auth/sign-up/email', (route) =>
        refuse(route, status, status === 500 ? 'INTERNAL' : 'RATE_LIMITED', status === 500 ? 'broken' : ''),
      )
      await press.click()
      await page.getByText(message, { exact: true }).waitFor()
      await page.unroute('**/api/auth/sign-up/email')
    }
    await press.click()
    const sent = page
      .getByRole('status')
      .filter({ hasText: /^Almost there! Check your email for a confirmation link to complete your registration\.$/ })
    await sent.waitFor()
    await expect.poll(() => sent.evaluate((element) => element === document.activeElement)).toBe(true)
    await page.getByRole('heading', { level: 1, name: 'Check your email' }).waitFor()
    expect(
      await page
        .getByRole('main')
        .getByText(/By signing up|Create an Account/)
        .count(),
    ).toBe(0)
    await expectSoundPage(page)

    // The emailed link signs in here, and credits the friend.
    await page.goto(await linkInMail(world.mailbox, 'ada@example.com', /^Confirm/))
    await page.waitForURL('**/dashboard')
    await page.getByText('ada@example.com').waitFor()
    // The sign-in pages redirect signed-in users.
    for (const path of ['/auth', '/login', '/auth/callback']) {
      await page.goto(path)
      await page.waitForURL('**/dashboard')
    }
    await page.goto('/rankings')
    await page.getByPlaceholder('Enter your email address').fill('friend@example.com')
    await page.getByRole('button', { name: 'Check Ranking' }).click()
    await page.getByText('fri***@example.com').waitFor()
    expect(await page.getByRole('row').last().innerText()).toMatch(/@example\.com\s+(Referrals\s+)?1\s/)

    // Below 768 px, the menu has all links of a member, and sign-out.
    await page.getByRole('button', { name: 'Open menu' }).click()
    const menu = page.getByRole('dialog', { name: 'Menu' })
    await menu.getByText('ada@example.com').waitFor()
    const labels = await menu.getByRole('link').allInnerTexts()
    for (const label of ['Dashboard', 'X Automation', 'Leads', 'Lists', 'Campaigns', 'Leaderboard'])
      expect(labels).toContain(label)
    await expectSoundPage(page)
    await menu.getByRole('button', { name: 'Logout' }).click()
    await page.waitForURL(`${world.origin}/`)
    await page.getByLabel('Open menu').click()
    const guestMenu = page.getByRole('navigation', { name: 'Menu' })
    await guestMenu.getByRole('link', { name: 'Sign In' }).waitFor()
    expect(await guestMenu.getByRole('link').allInnerTexts()).toEqual(expect.arrayContaining(['Home', 'Leaderboard']))
  })

  it('logs in, reports a slow login, and returns to the requested page', async () => {
    await signUp(world, 'grace@example.com')
    const page = await world.openPage()
    await page.clock.install()
    await page.goto('/lists')
    await page.waitForURL('**/login')
    await page.getByText('Please log in to view your lists.').waitFor()
    await page.getByRole('heading', { name: 'Welcome Back' }).waitFor()
    await expectSoundPage(page)
    const press = page.getByRole('button', { name: 'Log In', exact: true })
    await page.getByLabel('Email').fill('grace@example.com')
    await page.getByLabel('Password', { exact: true }).fill('Wrong-horse1')
    world.expectConsole(/status of 400/)
    await press.click()
    await page.getByText('Invalid email or password', { exact: true }).waitFor()

    const slow = page.getByText('Login is taking longer than expected. Please check your connection and try again.', {
      exact: true,
    })
    const held = Promise.withResolvers<void>()
    await page.route('**/api/auth/sign-in/email', async (route) => {
      await held.promise
      await route.continue()
    })
    await stopClock(page)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await press.click()
    await page.clock.runFor(2900)
    expect(await slow.count()).toBe(0)
    await page.clock.runFor(200)
    await slow.waitFor()
    await page.clock.resume()
    await expectSoundPage(page)
    held.resolve()
    await page.waitForURL('**/lists')

    // An invalid emailed link, and an empty callback.
    const guest = await world.openPage({ width: 390, height: 844 })
    await guest.goto('/auth/callback?error=INVALID_CODE')
    await guest.getByText('This link is invalid or has expired.').waitFor()
    await expectSoundPage(guest)
    await guest.goto('/auth/callback')
    await guest.waitForURL('**/login')
  })

  it('sets a new password with the emailed link', async () => {
    await signUp(world, 'hedy@example.com')
    const page = await world.openPage({ width: 390, height: 844 })
    await page.clock.install()
    await page.goto('/login')
    await page.getByRole('link', { name: 'Forgot password?' }).click()
    await page.getByRole('heading', { name: 'Reset your password' }).waitFor()
    await page.getByRole('link', { name: 'Back to login' }).waitFor()
    await expectSoundPage(page)
    await page.getByRole('button', { name: 'Send reset link' }).click()
    await page.getByText('Email is required').waitFor()
    await page.getByLabel('Email').fill('hedy@example.com')
    await page.getByRole('button', { name: 'Send reset link' }).click()
    await page.getByText('Password reset email sent. Please check your inbox.').waitFor()

    await page.goto('/reset-password')
    await page.getByText('Invalid or expired password reset link. Please try again.').waitFor()
    await expectSoundPage(page)
    const link = await linkInMail(world.mailbox, 'hedy@example.com', /^Reset your password/)
    await page.goto(link)
    await page.getByRole('heading', { name: 'Set new password' }).waitFor()
    await page.getByLabel('New password', { exact: true }).fill('weak')
    await page.getByLabel('Confirm new password').fill('other')
    const press = page.getByRole('button', { name: 'Set new password' })
    await press.click()
    await page.getByText('Password does not meet the requirements').waitFor()
    await page.getByText('Passwords do not match').waitFor()
    await expectSoundPage(page)
    await page.getByLabel('New password', { exact: true }).fill(NEW_PASSWORD)
    await page.getByLabel('Confirm new password').fill(NEW_PASSWORD)
    world.expectConsole(/Failed to load resource/)
    await page.route('**/api/auth/reset-password', (route) => refuse(route, 500, 'INTERNAL', 'broken'))
    await press.click()
    await page.getByText('An error occurred while resetting your password').waitFor()
    await page.unroute('**/api/auth/reset-password')
    await stopClock(page)
    await press.click()
    await tickUntil(page, page.getByText('Password has been reset successfully! Redirecting to login...'))
    await page.clock.runFor(2800)
    expect(new URL(page.url()).pathname).toBe('/reset-password')
    await page.clock.runFor(200)
    await page.waitForURL('**/login')
    await page.clock.resume()
    await page.getByLabel('Email').fill('hedy@example.com')
    await page.getByLabel('Password', { exact: true }).fill(NEW_PASSWORD)
    await page.getByRole('button', { name: 'Log In' }).click()
    await page.waitForURL('**/dashboard')

    // The link works only once.
    await page.getByRole('button', { name: 'Sign Out' }).click()
    await page.waitForURL(`${world.origin}/`)
    await page.goto(link)
    await page.getByLabel('New password', { exact: true }).fill(PASSWORD)
    await page.getByLabel('Confirm new password').fill(PASSWORD)
    await press.click()
    await page.getByText('Invalid or expired password reset link. Please try again.').waitFor()
  })

  it('confirms in another browser with a new password', async () => {
    const signUpPage = await world.openPage()
    await signUpPage.clock.install()
    await signUpPage.goto('/auth')
    await signUpPage.getByLabel('Email').fill('mary@example.com')
    await signUpPage.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await signUpPage.getByRole('button', { name: 'Sign Up', exact: true }).click()
    await signUpPage.getByText('Almost there!').waitFor()
    const link = await linkInMail(world.mailbox, 'mary@example.com', /^Confirm/)
    await signUpPage.clock.fastForward(31_000)
    await signUpPage.getByRole('button', { name: 'Send it again', exact: true }).click()
    await signUpPage.getByRole('button', { name: /^Sent\. Again in \d+ s$/ }).waitFor()
    const mails = async () => (await fetch(`${world.mailbox.url}/messages?to=mary@example.com`)).json()
    await expect.poll(mails).toHaveLength(2)
    // Email scanners open every link.
    await fetch(link)

    const page = await world.openPage({ width: 390, height: 844, dark: true })
    await page.goto(link)
    await page.getByRole('heading', { name: 'Confirm your email' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/auth/confirm')
    await expectSoundPage(page)
    const press = page.getByRole('button', { name: 'Confirm email' })
    await press.click()
    await page.getByText('Password does not meet the requirements').waitFor()
    await expectSoundPage(page)
    const field = page.getByLabel('New password', { exact: true })
    await field.fill(NEW_PASSWORD)
    world.expectConsole(/Failed to load resource/)
    await page.route('**/api/auth/verify-email', (route) => refuse(route, 500, 'INTERNAL', 'It broke.'))
    await press.click()
    await page.getByText('It broke.').waitFor()
    await expectSoundPage(page)
    await page.unroute('**/api/auth/verify-email')
    await field.focus()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/login')
    await page.getByText('Email confirmed', { exact: true }).waitFor()
    await page.getByLabel('Email').fill('mary@example.com')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Log In' }).click()
    await page.getByText('Invalid email or password', { exact: true }).waitFor()
    await page.getByLabel('Password', { exact: true }).fill(NEW_PASSWORD)
    await page.getByRole('button', { name: 'Log In' }).click()
    await page.waitForURL('**/dashboard')

    // Opens the link again in both browsers, and the page with and without its token.
    await signUpPage.goto(link)
    await signUpPage.waitForURL('**/login')
    await signUpPage.getByText('Email confirmed', { exact: true }).waitFor()
    const token = new URL(link).searchParams.get('token')
    await signUpPage.goto(`/auth/confirm#${token}`)
    await signUpPage.getByLabel('New password', { exact: true }).fill('Another-horse3')
    await signUpPage.getByRole('button', { name: 'Confirm email' }).click()
    await signUpPage.getByText('This link is invalid or has expired.').waitFor()
    await expectSoundPage(signUpPage)
    await page.goto('/auth/confirm')
    await page.getByText('This link is invalid or has expired.').waitFor()
    await expectSoundPage(page)
  })

  it('confirms and signs in with one click in the browser that signed up, even after another sign-up', async () => {
    const page = await world.openPage()
    await page.goto('/auth')
    await page.getByLabel('Email').fill('joan@example.com')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign Up', exact: true }).click()
    await page.getByText('Almost there!').waitFor()
    const link = await linkInMail(world.mailbox, 'joan@example.com', /^Confirm/)
    const strangers = await fetch(`${world.origin}/api/auth/sign-up/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'joan@example.com', password: NEW_PASSWORD }),
    })
    expect(strangers.status).toBe(200)
    // Opened from a webmail page on another site.
    await page.goto(`${world.mailbox.url}/`)
    await page.evaluate((href) => location.assign(href), link)
    await page.waitForURL('**/dashboard')
    await page.getByText('joan@example.com').waitFor()
  })

  it("removes a stranger's second factor after a reset", async () => {
    const { token } = await signUp(world, 'rosalind@example.com')
    const post = async (path: string, body: object) => {
      const response = await fetch(`${world.origin}/api${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify(body),
      })
      expect([path, response.status]).toEqual([path, 200])
      return response.json() as Promise<{ id: string; secret: string }>
    }
    await post('/auth/reauthenticate', { password: PASSWORD })
    const { id, secret } = await post('/auth/factors', { kind: 'totp', name: 'A phone' })
    await post(`/auth/factors/${id}/verify`, { code: codeOf(secret) })

    const page = await world.openPage({ width: 390, height: 844 })
    const logIn = async (password: string) => {
      await page.getByLabel('Email').fill('rosalind@example.com')
      await page.getByLabel('Password', { exact: true }).fill(password)
      await page.getByRole('button', { name: 'Log In' }).click()
    }
    await page.goto('/login')
    await logIn(PASSWORD)
    await page.getByRole('link', { name: 'Lost your second factor?' }).click()
    await page.getByLabel('Email').fill('rosalind@example.com')
    await page.getByRole('button', { name: 'Send reset link' }).click()
    await page.goto(await linkInMail(world.mailbox, 'rosalind@example.com', /^Reset your password/))
    await page.getByLabel('New password', { exact: true }).fill(NEW_PASSWORD)
    await page.getByLabel('Confirm new password').fill(NEW_PASSWORD)
    await page.getByRole('button', { name: 'Set new password' }).click()
    await page.getByRole('list', { name: 'Second factors' }).getByText('A phone').waitFor()
    await expectSoundPage(page)
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
    await expectSoundPage(page)
    await page.getByRole('button', { name: 'Remove it' }).click()
    await page.getByText('Second factors removed. Redirecting to login...').waitFor()
    await page.waitForURL('**/login')
    await logIn(NEW_PASSWORD)
    await page.waitForURL('**/dashboard')
  })
})
