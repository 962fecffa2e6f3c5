import { startGoogle } from '@x-automated/stand-ins/google'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectSoundPage, linkInMail, openWorld, type World } from '../world.ts'

let world: World
beforeAll(async () => {
  const google = await startGoogle()
  afterAll(() => google.close())
  world = await openWorld({
    GOOGLE_ISSUER: google.url,
    GOOGLE_CLIENT_ID: google.clientId,
    GOOGLE_CLIENT_SECRET: google.clientSecret,
  })
})

const PASSWORD = 'Correct-horse1'
const NEW_PASSWORD = 'Correct-horse2'

/** Joins by the form, and sees the popup with the place it gave. */
async function join(page: Page, email: string, position: number) {
  await page.getByLabel('Email').fill(email)
  await page.getByRole('button', { name: 'GET EARLY ACCESS' }).click()
  const popup = page.getByRole('dialog')
  await popup.getByText(`#${position}`, { exact: true }).waitFor()
  await popup.getByText('Referrals: 0', { exact: true }).waitFor()
  await popup.getByText('Move up 5 spots per referral', { exact: true }).waitFor()
  return popup
}

const stored = (page: Page, key: string) => page.evaluate((name) => localStorage.getItem(name), key)

async function post(path: string, body: unknown) {
  const answer = await fetch(`${world.origin}/api${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(answer.status).toBe(200)
}

describe('the waitlist, in a browser', () => {
  it('runs from a join to the dashboard', async () => {
    // Somebody to move up past.
    for (let n = 1; n <= 8; n += 1) await post('/waitlist/join', { email: `early${n}@example.com` })
    const ada = await world.openPage()

    // A newcomer: what is wrong with an address is said once it was left, then at each change.
    await ada.goto('/waitlist')
    await ada.getByText('8+ people have already joined').waitFor()
    await expectSoundPage(ada)
    const email = ada.getByLabel('Email')
    await email.fill('ada@')
    expect(await ada.getByText('Invalid email format').count()).toBe(0)
    await email.blur()
    await ada.getByText('Invalid email format').waitFor()
    await email.fill('ada@example.com')
    await ada.getByText('Invalid email format').waitFor({ state: 'detached' })
    const popup = await join(ada, 'ada@example.com', 9)
    await popup.getByRole('button', { name: 'Close' }).click()
    await popup.waitFor({ state: 'detached' })
    await ada.getByText('Your position: #9').waitFor()
    await ada.getByText('9+ people have already joined').waitFor()
    await expectSoundPage(ada)

    // Returning, she is shown her place at once.
    await ada.reload()
    await ada.getByText('Your position: #9').waitFor()
    const code = await stored(ada, 'waitlistReferralCode')
    expect(await stored(ada, 'waitlistEmail')).toBe('ada@example.com')
    expect(await stored(ada, 'waitlistPosition')).toBe('9')
    const link = `${world.origin}/waitlist?ref=${code}`
    expect(await ada.getByLabel('Your referral link').inputValue()).toBe(link)
    await ada.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await ada.getByRole('button', { name: 'Copy', exact: true }).click()
    await ada.getByText('Copied!').waitFor()
    expect(await ada.evaluate(() => navigator.clipboard.readText())).toBe(link)

    // A friend joins by her link, on a phone.
    const bob = await world.openPage({ width: 390, height: 844 })
    await bob.goto(link)
    await bob.getByText('A friend invited you.').waitFor()
    await expectSoundPage(bob)
    const bobsPopup = await join(bob, 'bob@example.com', 10)
    await expectSoundPage(bob)
    await bobsPopup.getByRole('button', { name: 'Done' }).click()
    await bob.getByText('Your position: #10').waitFor()

    // She has moved up five spots.
    await ada.reload()
    await ada.getByText('Your position: #4').waitFor()
    await ada.getByText('1 friend has joined with your link.').waitFor()
    expect(await stored(ada, 'waitlistPosition')).toBe('4')

    // The leaderboard of every period shows her, masked to others.
    await bob.goto('/leaderboard')
    const row = bob.getByRole('row', { name: /ada\*\*\*@example\.com/ })
    await row.waitFor()
    expect(await row.innerText()).toMatch(/^1\s+AD\s+ada\*\*\*@example\.com\s+1\s/)
    await expectSoundPage(bob)
    for (const tab of ['This Week', 'Today']) {
      await bob.getByRole('tab', { name: tab }).click()
      await row.waitFor()
    }

    // The ranking check: nothing, nonsense, an unknown address, and hers.
    await bob.goto('/rankings')
    await bob.getByText('Enter your email to see your ranking and referral statistics').waitFor()
    const check = bob.getByRole('button', { name: 'Check Ranking' })
    await check.click()
    await bob.getByText('Please enter your email address').waitFor()
    world.expectConsole(/status of 404/)
    await bob.getByPlaceholder('Enter your email address').fill('nobody@example.com')
    await check.click()
    await bob.getByText('Email not found. Please sign up first.').waitFor()
    await bob.getByPlaceholder('Enter your email address').fill('ada@example.com')
    await check.click()
    await bob.getByText('#4', { exact: true }).waitFor()
    await bob.getByText('ada***@example.com').waitFor()
    expect(await bob.getByLabel('Your referral link').inputValue()).toBe(`${world.origin}/?ref=${code}`)
    await expectSoundPage(bob)
    await bob.getByRole('link', { name: 'View Full Leaderboard' }).click()
    await bob.waitForURL('**/leaderboard')

    // She signs up with that address: the entry is her account's.
    await ada.goto('/auth')
    await ada.getByLabel('Email').fill('ada@example.com')
    await ada.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await ada.getByRole('button', { name: 'Sign Up', exact: true }).click()
    await ada.getByText(/^Almost there!/).waitFor()
    await ada.goto(await linkInMail(world.mailbox, 'ada@example.com', /^Confirm/))
    await ada.waitForURL('**/dashboard')
    await ada.getByText('#4', { exact: true }).waitFor()
    await ada.getByText(/^Member since /).waitFor()
    await ada.getByText('1/50', { exact: true }).waitFor()
    await ada.getByRole('listitem').filter({ hasText: 'Early Pioneer' }).waitFor()
    expect(await ada.getByLabel('Your referral link').inputValue()).toBe(`${world.origin}?ref=${code}`)
    await expectSoundPage(ada)
    await ada.setViewportSize({ width: 390, height: 844 })
    await expectSoundPage(ada)
    await ada.setViewportSize({ width: 1280, height: 900 })

    // Signed in, her own row is whole and marked; the menu leads back, and out.
    await ada.getByRole('link', { name: 'Leaderboard' }).click()
    await ada.getByText('You are #1 of 1').waitFor()
    expect(await ada.getByRole('row', { name: /ada@example\.com/ }).innerText()).toMatch(/You/)
    await expectSoundPage(ada)
    await ada.getByRole('button', { name: 'Profile menu' }).click()
    await ada.getByRole('menuitem', { name: 'Dashboard' }).click()
    await ada.waitForURL('**/dashboard')
    await ada.getByRole('button', { name: 'Sign Out' }).click()
    await ada.waitForURL(`${world.origin}/`)
  })

  it("carries a friend's code from the landing page to sign-up", async () => {
    const page = await world.openPage({ width: 390, height: 844 })
    await page.goto('/?ref=Ab3dE9xy')
    await page.getByRole('link', { name: 'Sign Up Now' }).click()
    await page.getByText("You were referred by a friend! You'll both get priority access.").waitFor()
    expect(new URL(page.url()).search).toBe('?ref=Ab3dE9xy')
    await page.getByRole('link', { name: 'Already have an account? Log in' }).click()
    await page.getByRole('heading', { name: 'Welcome Back' }).waitFor()
    await page.getByRole('link', { name: 'Sign Up', exact: true }).click()
    await page.getByText('You were referred by a friend!').waitFor()
  })

  it('joins with Google, after thinking better of it once', async () => {
    const page = await world.openPage({ width: 390, height: 844 })
    await page.goto('/waitlist')
    const button = page.getByRole('button', { name: 'Sign up with Google' })
    await button.click()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('Failed to sign in with Google. Please try again.').waitFor()
    expect(page.url()).toBe(`${world.origin}/waitlist`)
    expect(await page.evaluate(() => sessionStorage.getItem('googleAuthInProgress'))).toBeNull()

    await button.click()
    await page.getByLabel('Email').fill('hedy@example.com')
    await page.getByRole('button', { name: 'Continue' }).click()
    const popup = page.getByRole('dialog')
    await popup.getByText('hedy@example.com').waitFor()
    await popup.getByText('Referrals: 0', { exact: true }).waitFor()
    expect(page.url()).toBe(`${world.origin}/waitlist`)
    expect(await stored(page, 'waitlistEmail')).toBe('hedy@example.com')
    await popup.getByRole('button', { name: 'Done' }).click()
    await page.getByText(/^Your position: #\d+$/).waitFor()
    await page.goto('/dashboard')
    await page.getByText('hedy@example.com').waitFor()
  })

  it('says what the specification says when the leaderboard does not come', async () => {
    const page = await world.openPage()
    world.expectConsole(/Failed to load resource/)
    const answer = { status: 500, code: 'INTERNAL', error: 'broken' }
    await page.route('**/api/leaderboard*', (route) => {
      const { status, ...body } = answer
      return route.fulfill({ status, json: { success: false, ...body } })
    })
    await page.goto('/leaderboard')
    await page.getByText('Could not access leaderboard data. Table may not exist yet.').waitFor()
    await expectSoundPage(page)
    Object.assign(answer, { status: 403, code: 'FORBIDDEN' })
    const again = page.getByRole('button', { name: 'Try Again' })
    await again.click()
    await page.getByText('You do not have permission to view the leaderboard.').waitFor()
    Object.assign(answer, { status: 503, code: 'NOT_READY' })
    for (let retries = 2; retries <= 3; retries += 1) {
      await again.click()
      await page.getByText('Leaderboard data not available yet.').waitFor()
    }
    await again.click()
    await page.getByText('Having trouble loading the leaderboard. Please try again later.').waitFor()
    await page.unroute('**/api/leaderboard*')
    await again.click()
    await page.getByRole('table', { name: 'Leaderboard' }).waitFor()
  })

  it('sets a new password by the mailed link', async () => {
    await post('/auth/sign-up/email', { email: 'grace@example.com', password: PASSWORD })
    await fetch(await linkInMail(world.mailbox, 'grace@example.com', /^Confirm/), { redirect: 'manual' })
    const page = await world.openPage({ width: 390, height: 844 })
    await page.goto('/login')
    await page.getByRole('link', { name: 'Forgot password?' }).click()
    await page.getByRole('heading', { name: 'Reset your password' }).waitFor()
    await expectSoundPage(page)
    await page.getByLabel('Email').fill('grace@example.com')
    await page.getByRole('button', { name: 'Send reset link' }).click()
    await page.getByText('Password reset email sent. Please check your inbox.').waitFor()

    await page.goto('/reset-password')
    await page.getByText('Invalid or expired password reset link. Please try again.').waitFor()
    await expectSoundPage(page)
    await page.goto(await linkInMail(world.mailbox, 'grace@example.com', /^Reset your password/))
    await page.getByRole('heading', { name: 'Set new password' }).waitFor()
    await page.getByLabel('New password', { exact: true }).fill('weak')
    await page.getByLabel('Confirm new password').fill('other')
    await page.getByRole('button', { name: 'Set new password' }).click()
    await page.getByText('Password does not meet the requirements').waitFor()
    await page.getByText('Passwords do not match').waitFor()
    await expectSoundPage(page)
    await page.getByLabel('New password', { exact: true }).fill(NEW_PASSWORD)
    await page.getByLabel('Confirm new password').fill(NEW_PASSWORD)
    await page.getByRole('button', { name: 'Set new password' }).click()
    await page.getByText('Password has been reset successfully! Redirecting to login...').waitFor()
    await page.waitForURL('**/login')
    await page.getByLabel('Email').fill('grace@example.com')
    await page.getByLabel('Password', { exact: true }).fill(NEW_PASSWORD)
    await page.getByRole('button', { name: 'Log In' }).click()
    await page.waitForURL('**/dashboard')
  })
})
