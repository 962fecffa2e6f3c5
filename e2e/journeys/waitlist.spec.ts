import { startGoogle } from '@x-automated/stand-ins/google'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  expectSoundPage,
  linkInMail,
  openWorld,
  PASSWORD,
  recordPopups,
  refuse,
  signInAtGoogle,
  signUp,
  type World,
} from '../world.ts'

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

/** Joins with the form and checks the position in the dialog. */
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

async function post(path: string, body: unknown): Promise<{ referralCode: string; referralCount: number }> {
  const response = await fetch(`${world.origin}/api${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(response.status).toBe(200)
  return response.json() as Promise<{ referralCode: string; referralCount: number }>
}

describe('the waitlist, in a browser', () => {
  it.each(['before', 'after'] as const)(
    'validates an address typed before the app loads and left %s it',
    async (when) => {
      const page = await world.openPage()
      const held = Promise.withResolvers<void>()
      await page.route('**/assets/*.js', async (route) => {
        await held.promise
        await route.continue()
      })
      await page.goto('/waitlist', { waitUntil: 'commit' })
      const email = page.getByLabel('Email')
      await email.pressSequentially('ada@example')
      if (when === 'before') await email.blur()
      held.resolve()
      if (when === 'after') {
        await page.waitForLoadState('networkidle')
        expect(await page.getByText('Invalid email format').count()).toBe(0)
        await email.blur()
      }
      await page.getByText('Invalid email format').waitFor()
      await email.fill('ada@example.com')
      await page.getByText('Invalid email format').waitFor({ state: 'detached' })
    },
  )

  it('leads from a join to the dashboard', async () => {
    // Members for her to overtake.
    for (let n = 1; n <= 8; n += 1) await post('/waitlist/join', { email: `early${n}@example.com` })
    const ada = await world.openPage()

    // A new visitor. The email is validated on blur, then on each change.
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

    // On return, the page shows her position immediately.
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

    // A friend joins with her link, on a phone.
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

    // The leaderboard of every period shows her, masked for others.
    await bob.goto('/leaderboard')
    const row = bob.getByRole('row', { name: /ada\*\*\*@example\.com/ })
    await row.waitFor()
    expect(await row.innerText()).toMatch(/^1\s+AD\s+ada\*\*\*@example\.com\s+1\s/)
    await expectSoundPage(bob)
    for (const tab of ['This Week', 'Today']) {
      await bob.getByRole('tab', { name: tab }).click()
      await row.waitFor()
    }

    // After sign-up with that address, the entry belongs to her account.
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

    // Signed in, she sees her row unmasked and highlighted. The menu links back, and signs out.
    await ada.getByRole('link', { name: 'Leaderboard' }).click()
    await ada.getByText("You're #1 of 1").waitFor()
    expect(await ada.getByRole('row', { name: /ada@example\.com/ }).innerText()).toMatch(/You/)
    await expectSoundPage(ada)
    await ada.getByRole('button', { name: 'Profile menu' }).click()
    await ada.getByRole('menuitem', { name: 'Dashboard' }).click()
    await ada.waitForURL('**/dashboard')
    await ada.getByRole('button', { name: 'Sign Out' }).click()
    await ada.waitForURL(`${world.origin}/`)
  })

  it('joins with Google after canceling once', async () => {
    const page = await world.openPage({ width: 390, height: 844 })
    await page.goto('/waitlist')
    const button = page.getByRole('button', { name: 'Sign up with Google' })
    await button.click()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('Failed to sign in with Google. Please try again.').waitFor()
    expect(page.url()).toBe(`${world.origin}/waitlist`)
    expect(await page.evaluate(() => sessionStorage.getItem('googleAuthInProgress'))).toBeNull()

    await button.click()
    await page.getByRole('button', { name: 'Cancel' }).waitFor()
    await page.getByLabel('Email').fill('hedy@example.com')
    // Another tab starts signing in, too. Each tab returns with its own state.
    const another = await page.context().newPage()
    await another.goto('/waitlist')
    await another.getByRole('button', { name: 'Sign up with Google' }).click()
    await another.getByRole('button', { name: 'Cancel' }).waitFor()
    await another.close()
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

    // The account has no password, so it logs in with Google, and returns to the requested page.
    await page.getByRole('button', { name: 'Sign Out' }).click()
    await page.waitForURL(`${world.origin}/`)
    await page.goto('/lists')
    const logIn = page.getByRole('button', { name: 'Continue with Google' })
    await logIn.click()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.waitForURL('**/login')
    await page.getByText('Failed to sign in with Google. Please try again.').waitFor()
    await expectSoundPage(page)
    await logIn.click()
    await signInAtGoogle(page, 'hedy@example.com')
    await page.waitForURL('**/lists')
  })

  it("signs up with Google through a friend's link", async () => {
    const { referralCode } = await post('/waitlist/join', { email: 'friend-of-vera@example.com' })
    const page = await world.openPage()
    await page.goto(`/auth?ref=${referralCode}`)
    // The browser's Back button restores the page unchanged.
    await page.getByRole('button', { name: 'Continue with Google' }).click()
    await page.getByRole('button', { name: 'Cancel' }).waitFor()
    await page.goBack()
    await page.getByRole('button', { name: 'Continue with Google' }).click()
    await signInAtGoogle(page, 'vera@example.com')
    await page.waitForURL('**/dashboard')
    await page.getByText('vera@example.com').waitFor()
    const { referralCount } = await post('/waitlist/position', { email: 'friend-of-vera@example.com' })
    expect(referralCount).toBe(1)
  })

  it('shares a position and shows errors for 3 seconds', async () => {
    const page = await world.openPage({ dark: true })
    await recordPopups(page)
    await page.clock.install()
    world.expectConsole(/Failed to load resource|ERR_FAILED/)
    world.expectConsole(/^warning: Could not (count who has joined|finish the sign-in with Google)/)

    // Without a count, the page shows a sentence without one. Later, it shows the last count that it received.
    await page.route('**/api/waitlist/count', (route) => refuse(route, 400, 'INVALID_INPUT', 'broken'))
    await page.goto('/waitlist')
    await page
      .getByText('Be among the first to experience the next generation of X DM automation', { exact: true })
      .waitFor()
    expect(await page.getByRole('list', { name: 'Planned features' }).getByRole('listitem').allInnerTexts()).toEqual([
      'DM Automation',
      'Advanced Analytics',
      'A/B Testing',
      'Lead Scraping',
    ])
    await page.getByText('Could not load how many people have joined.').waitFor()
    await expectSoundPage(page)
    await page.unroute('**/api/waitlist/count')
    await page.getByRole('button', { name: 'Try again' }).click()
    const counter = page.getByText(/^\d+\+ people have already joined$/)
    await counter.waitFor()
    const countText = await counter.innerText()
    expect(await page.getByText('Could not load').count()).toBe(0)
    await page.route('**/api/waitlist/count', (route) => refuse(route, 400, 'INVALID_INPUT', 'broken'))
    await page.reload()
    await page.getByText(countText, { exact: true }).waitFor()
    await page.unroute('**/api/waitlist/count')

    const press = page.getByRole('button', { name: 'GET EARLY ACCESS' })
    await page.getByLabel('Email').fill('lin@')
    await press.click()
    await page.getByText('Invalid email format').waitFor()
    await page.getByLabel('Email').fill('lin@example.com')
    await page.route('**/api/waitlist/join', (route) => refuse(route, 500, 'INTERNAL', 'broken'))
    await press.click()
    const notice = page.getByRole('alert').filter({ hasText: 'Failed to join the waitlist. Please try again later.' })
    // The toast stays open while hovered.
    await notice.hover()
    await expectSoundPage(page)
    // The toast's timer is an animation.
    const clock = notice.getByRole('progressbar', { includeHidden: true })
    expect(await clock.evaluate((bar) => getComputedStyle(bar).animationDuration)).toBe('3s')
    await clock.evaluate((bar) => bar.getAnimations()[0]?.finish())
    await notice.waitFor({ state: 'detached' })
    await press.click()
    await notice.waitFor()
    await notice.getByRole('button', { name: 'Close notification' }).click()
    await notice.waitFor({ state: 'detached' })
    await page.unroute('**/api/waitlist/join')

    // Google's error redirect.
    for (const [error, message] of [
      ['no_email', 'Could not retrieve email from Google account.'],
      ['failed', 'Error processing your Google sign-in. Please try again.'],
    ] as const) {
      await page.goto(`/waitlist?error=${error}`)
      await page.getByText(message).waitFor()
      await page.waitForURL('**/waitlist')
    }
    const google = page.getByRole('button', { name: 'Sign up with Google' })
    await page.route('**/api/auth/authorize', (route) => refuse(route, 503, 'GOOGLE_UNAVAILABLE', 'down'))
    await google.click()
    const failure = page.getByRole('alert').filter({ hasText: 'Failed to sign in with Google. Please try again.' })
    await failure.getByRole('button', { name: 'Close notification' }).click()
    await failure.waitFor({ state: 'detached' })
    await page.unroute('**/api/auth/authorize')
    // After 30 seconds, the button works again.
    await page.route('**/api/auth/authorize', () => {})
    await google.click()
    await page.waitForFunction(() => sessionStorage.getItem('googleAuthInProgress'))
    expect(await google.getAttribute('aria-busy')).toBe('true')
    await page.clock.runFor(30_000)
    await failure.waitFor()
    await page.waitForFunction(() => !document.querySelector('button[aria-busy=true]'))
    expect(await page.evaluate(() => sessionStorage.getItem('googleAuthInProgress'))).toBeNull()

    // Clicking twice joins once.
    let joins = 0
    page.on('request', (request) => {
      if (request.url().endsWith('/waitlist/join')) joins += 1
    })
    await page.getByLabel('Email').fill('lin@example.com')
    await press.evaluate((button: HTMLButtonElement) => {
      button.click()
      button.click()
    })
    await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click()
    await page.clock.runFor(500)
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(joins).toBe(1)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy', exact: true }).click()
    await page.getByText('Copied!').waitFor()
    await page.clock.runFor(2000)
    await page.getByText('Copied!').waitFor({ state: 'detached' })
    for (const network of ['Twitter', 'LinkedIn', 'WhatsApp'])
      await page.getByRole('button', { name: `Share on ${network}` }).click()
    const link = `${world.origin}/waitlist?ref=${await stored(page, 'waitlistReferralCode')}`
    const shareText = 'Join me on X-Automated and get priority access! Use my referral link:'
    const read = ([url, ...rest]: string[]) => [...new URL(url ?? '').searchParams.values(), ...rest]
    const window = ['_blank', 'noopener,width=600,height=400']
    expect(((await page.evaluate('popups')) as string[][]).map(read)).toEqual([
      [shareText, link, ...window],
      [link, ...window],
      [`${shareText} ${link}`, ...window],
    ])
    const mail = new URL((await page.getByRole('link', { name: 'Share by Email' }).getAttribute('href')) ?? '')
    expect([mail.protocol, mail.searchParams.get('body')]).toEqual(['mailto:', `${shareText} ${link}`])
    await expectSoundPage(page)

    // Existing members keep their position.
    await page.getByRole('button', { name: 'Use a different email' }).click()
    await page.getByLabel('Email').fill('LIN@example.com')
    await press.click()
    await page.getByText('User already exists').waitFor()
    await page.getByRole('dialog', { name: "You're already on the waitlist" }).waitFor()

    // If the entry no longer exists, the page discards the position, and the address can join again.
    world.expectConsole(/status of 404/)
    await page.evaluate(() => localStorage.setItem('waitlistEmail', 'gone@example.com'))
    await page.reload()
    await page.getByLabel('Email').fill('gone@example.com')
    await press.click()
    await page.getByRole('dialog', { name: "You're on the waitlist!" }).waitFor()
    expect(await stored(page, 'waitlistEmail')).toBe('gone@example.com')
  })

  it("shows the dashboard in every state and accepts a friend's code", async () => {
    const [grace, friend] = await Promise.all([
      signUp(world, 'grace@example.com'),
      post('/waitlist/join', { email: 'friend@example.com' }),
    ])
    const page = await world.openPage({ dark: true })
    await grace.enter(page)
    world.expectConsole(/Failed to load resource|ERR_FAILED/)
    const held = Promise.withResolvers<void>()
    let broken = true
    await page.route('**/api/dashboard', async (route) => {
      await held.promise
      await (broken ? refuse(route, 403, 'FORBIDDEN', 'broken') : route.continue())
    })
    await page.goto('/dashboard')
    await page.getByText('Loading your dashboard...').waitFor()
    await page.getByText('Loading your referral information...').waitFor()
    await expectSoundPage(page)
    held.resolve()
    await page.getByText("We couldn't load your numbers. Try again.").waitFor()
    const figures = () => page.locator('dl').first().innerText()
    expect(await figures()).toMatch(/Waitlist Position\s+#0.*Friends Referred\s+0.*To Next Achievement\s+0/s)
    await page.getByText('0/50', { exact: true }).waitFor()
    await expectSoundPage(page)

    broken = false
    await page.getByRole('button', { name: 'Try Again' }).click()
    await page.getByText("You haven't earned any achievements yet. Refer friends to start earning!").waitFor()
    expect(await figures()).toMatch(/Waitlist Position\s+#0.*Friends Referred\s+0.*To Next Achievement\s+3/s)
    for (const text of ['Dashboard', 'grace', 'grace@example.com', 'Referral Program'])
      await page.getByRole('main').getByText(text, { exact: true }).first().waitFor()
    const [, code = ''] = (await page.getByLabel('Your referral link').inputValue()).split('?ref=')
    expect(code).toMatch(/^[A-Z0-9]{6}$/)

    const field = page.getByLabel('Their referral code')
    const credit = page.getByRole('button', { name: 'Apply code' })
    await field.fill('nobody')
    await credit.click()
    await page.getByText('Invalid referral code').waitFor()
    await field.fill(friend.referralCode)
    for (const [status, code, message] of [
      [500, 'INTERNAL', 'Failed to update referral relationship'],
      [401, 'UNAUTHORIZED', 'User not authenticated.'],
      [0, '', 'Failed to update referral'],
    ] as const) {
      await page.route('**/api/referrals', (route) =>
        status === 0 ? route.abort() : refuse(route, status, code, 'broken'),
      )
      await credit.click()
      await page.getByText(message, { exact: true }).waitFor()
      await page.unroute('**/api/referrals')
    }
    await page.setViewportSize({ width: 390, height: 844 })
    await expectSoundPage(page)
    await credit.click()
    await page.getByText("Thanks! We've credited your friend.").waitFor()
    await field.waitFor({ state: 'detached' })
    expect((await post('/waitlist/position', { email: 'friend@example.com' })).referralCount).toBe(1)

    // A third of the referrals for bronze fill a third of the first quarter.
    await post('/waitlist/join', { email: 'by-grace@example.com', referralCode: code })
    await page.reload()
    await page.getByText('1/50', { exact: true }).waitFor()
    expect(
      await page.getByRole('progressbar', { name: 'Progress' }).evaluate((bar: HTMLProgressElement) => bar.value),
    ).toBeCloseTo(25 / 3, 1)

    // New achievements are announced once.
    for (const email of ['second@example.com', 'third@example.com'])
      await post('/waitlist/join', { email, referralCode: code })
    const earned = page.getByText('You earned the Bronze Referrer badge!')
    await page.reload()
    await earned.hover()
    await expectSoundPage(page)
    await page.reload()
    await page.getByText('3/50', { exact: true }).waitFor()
    await page.getByRole('listitem').filter({ hasText: 'Bronze Referrer' }).waitFor()
    expect(await earned.count()).toBe(0)
  })
})
