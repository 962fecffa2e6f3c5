import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { expectSoundPage, openWorld, recordPopups, refuse, signUp, stopClock, type World } from '../world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ TRUST_PROXY: 'loopback' })
})

let calls = 0
/** Joins from a new address range. @returns the referral code */
async function join(email: string, referralCode?: string): Promise<string> {
  calls += 1
  const response = await fetch(`${world.origin}/api/waitlist/join`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': `${20 + (calls % 150)}.${calls}.1.1` },
    body: JSON.stringify({ email, ...(referralCode ? { referralCode } : {}) }),
  })
  expect(response.status).toBe(200)
  return ((await response.json()) as { referralCode: string }).referralCode
}

const board = (page: Page) => page.getByRole('table', { name: 'Leaderboard' })

describe('the leaderboard, in a browser', () => {
  it("shows the empty state, pages of 50 and one's own row", async () => {
    const guest = await world.openPage({ width: 390, height: 844, dark: true })
    await guest.goto('/leaderboard')
    await guest.getByRole('heading', { name: 'X-Automated Referral Leaderboard' }).waitFor()
    await guest.getByText('Invite more friends to climb the ranks...').waitFor()
    await guest
      .getByText('No data for this time period yet. Refer friends to be the first to appear on the leaderboard!')
      .waitFor()
    await guest.getByText("Share your referral link. You'll appear here once a friend joins.").waitFor()
    expect(await guest.getByRole('link', { name: 'Get your referral link' }).getAttribute('href')).toBe('/waitlist')
    await expectSoundPage(guest)

    // 54 people with one referral each, the first member with two, and Zoe.
    const [zoe, first] = await Promise.all([signUp(world, 'zoe@example.com'), join('member0@example.com')])
    await join('friend@example.com', first)
    const members = Array.from({ length: 54 }, (_, n) => `member${n}@example.com`)
    for (let n = 0; n < members.length; n += 6) {
      const codes = await Promise.all(members.slice(n, n + 6).map((email) => join(email)))
      await Promise.all(codes.map((code, i) => join(`friend${n + i}@example.com`, code)))
    }
    const { referralCode } = (await (
      await fetch(`${world.origin}/api/dashboard`, { headers: { authorization: `Bearer ${zoe.token}` } })
    ).json()) as { referralCode: string }
    await join('zoes-friend@example.com', referralCode)

    // Refreshes, with a spinner for at most 800 ms.
    const refresh = guest.getByRole('button', { name: 'Refresh' })
    await refresh.click()
    await board(guest).waitFor()
    expect(await guest.getByRole('tab', { name: 'All Time' }).getAttribute('aria-selected')).toBe('true')
    await guest.getByText('Swipe to see more').waitFor()
    await guest.getByText('55 people on this leaderboard').waitFor()
    expect(await board(guest).getByRole('columnheader').allInnerTexts()).toEqual([
      'Rank',
      'User',
      'Referrals',
      'Achievements',
    ])
    expect(await board(guest).getByRole('row').nth(1).innerText()).toMatch(/^1\s+ME\s+mem\*\*\*@example\.com\s+2\s/)
    await expectSoundPage(guest)
    expect(await board(guest).getByRole('row').count()).toBe(51)
    await guest.getByRole('button', { name: 'Next' }).click()
    await board(guest).getByText('zoe***@example.com').waitFor()
    expect(await board(guest).getByRole('row').count()).toBe(6)

    const page = await world.openPage()
    await zoe.enter(page)
    await page.goto('/leaderboard')
    await page.getByText("You're #55 of 55").waitFor()
    expect(await board(page).getByText('zoe@example.com').count()).toBe(0)
    await page.getByRole('button', { name: 'Show my row' }).click()
    const own = board(page).getByRole('row', { name: /zoe@example\.com/ })
    await own.waitFor()
    expect(await own.getAttribute('aria-current')).toBe('true')
    expect(await own.innerText()).toMatch(/^55\s+ZO\s+zoe@example\.com\s+You\s+1\s+-$/)
    await page.goto('/rankings')
    await expect.poll(() => page.getByPlaceholder('Enter your email address').inputValue()).toBe('zoe@example.com')
    await page.goto('/leaderboard')
    expect(await page.getByText('Swipe to see more').count()).toBe(0)
    await expectSoundPage(page)

    // A rejected token is refreshed, and the request repeated a second later. A rejected session is
    // reported.
    await page.clock.install()
    world.expectConsole(/status of 401/)
    // The client refreshes once, then the leaderboard retries.
    let refusals = 2
    await page.route('**/api/leaderboard*', (route) => {
      refusals -= 1
      return refusals < 0
        ? route.continue()
        : refuse(route, 401, 'UNAUTHORIZED', 'Session expired. Please log in again.')
    })
    await page.reload()
    await page.getByText('Refreshing session...').waitFor()
    await page.clock.runFor(1000)
    await page.getByText("You're #55 of 55").waitFor()

    const sign = page.getByRole('button', { name: 'Refresh' })
    await stopClock(page)
    await sign.click()
    await page.clock.runFor(700)
    expect(await sign.getAttribute('aria-busy')).toBe('true')
    await page.clock.runFor(100)
    await page.waitForFunction(() => !document.querySelector('button[aria-busy]'))
    await page.clock.resume()

    refusals = 100
    await page.reload()
    for (let retries = 1; retries <= 3; retries += 1) {
      await page.getByText('Refreshing session...').waitFor()
      await page.clock.runFor(1000)
    }
    await page.getByText('Session expired. Please log in again.').waitFor()
    await page.unroute('**/api/leaderboard*')

    // If the session cannot be refreshed, the page asks you to log in again.
    await page.route('**/api/leaderboard*', (route) => refuse(route, 401, 'UNAUTHORIZED', 'Session expired.'))
    await page.route('**/api/auth/refresh', (route) => route.abort())
    world.expectConsole(/ERR_FAILED/)
    await page.clock.runFor(60_000)
    await page.reload()
    await page.getByText('Refreshing session...').waitFor()
    await page.clock.runFor(5000)
    await page.getByText('Session expired. Please log out and log back in.').waitFor()
  })

  it('shows an error for each cause of failure', async () => {
    const page = await world.openPage()
    world.expectConsole(/Failed to load resource/)
    let failure: [number, string] = [500, 'INTERNAL']
    let hold: Promise<void> | null = null
    await page.route('**/api/leaderboard*', async (route) => {
      await hold
      await refuse(route, ...failure, 'broken')
    })
    const held = Promise.withResolvers<void>()
    hold = held.promise
    await page.goto('/leaderboard')
    await page.getByText('Loading leaderboard data...').waitFor()
    await expectSoundPage(page)
    held.resolve()
    await page.getByText('Could not access leaderboard data. Table may not exist yet.').waitFor()
    await expectSoundPage(page)
    const again = page.getByRole('button', { name: 'Try Again' })
    for (const [status, code, message] of [
      [403, 'FORBIDDEN', 'You do not have permission to view the leaderboard.'],
      [503, 'NOT_READY', 'Leaderboard data not available yet.'],
      [502, 'BAD_GATEWAY', 'Failed to retrieve leaderboard. Please try again.'],
    ] as const) {
      failure = [status, code]
      await again.click()
      await page.getByText(message).waitFor()
    }
    await again.click()
    await page.getByText('Having trouble loading the leaderboard. Please try again later.').waitFor()
    await page.unroute('**/api/leaderboard*')
    await again.click()
    await board(page).waitFor()
  })

  it('looks up a ranking, or shows why it cannot', async () => {
    await join('rank@example.com')
    const page = await world.openPage({ dark: true })
    await recordPopups(page)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto('/rankings')
    await page.getByRole('heading', { name: 'Check Your Rankings' }).waitFor()
    await page.getByText('Enter your email to see your ranking and referral statistics').waitFor()
    await expectSoundPage(page)
    const email = page.getByPlaceholder('Enter your email address')
    const check = page.getByRole('button', { name: 'Check Ranking' })
    await check.click()
    await page.getByText('Please enter your email address').waitFor()
    await email.fill('rank@')
    await page.getByText('Invalid email format').waitFor()

    await email.fill('rank@example.com')
    world.expectConsole(/Failed to load resource/)
    for (const [status, code, error, message] of [
      [404, 'MEMBER_NOT_FOUND', 'Email not found. Please sign up first.', 'Email not found. Please sign up first.'],
      [404, 'MEMBER_NOT_FOUND', '', 'Failed to find your ranking'],
      [500, 'INTERNAL', 'broken', 'Failed to retrieve position. Please try again.'],
      [0, '', '', 'An unexpected error occurred. Please try again.'],
    ] as const) {
      await page.route('**/api/waitlist/position', (route) =>
        status === 0 ? route.abort() : refuse(route, status, code, error),
      )
      await check.click()
      await page.getByText(message, { exact: true }).waitFor()
      await page.unroute('**/api/waitlist/position')
    }
    await expectSoundPage(page)

    await check.click()
    const row = page.getByRole('table', { name: 'Your ranking' }).getByRole('row').last()
    await row.getByText('ran***@example.com').waitFor()
    expect(await row.innerText()).toMatch(/^#\d+\s+ran\*\*\*@example\.com\s+0\s/)
    await page.getByText('0 of 3 referrals').waitFor()
    await page.getByText('3 more referrals earn 1 month of Pro.').waitFor()
    await page.getByText('Your Referral Code').waitFor()
    await expectSoundPage(page)
    const code = await page.locator('code').innerText()
    expect(code).toMatch(/^\w{8}$/)
    await page.getByRole('button', { name: 'Copy code' }).click()
    await page.getByText('Copied!').waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(code)
    const link = encodeURIComponent(`${world.origin}/?ref=${code}`)
    for (const network of ['Twitter', 'Facebook', 'LinkedIn'])
      await page.getByRole('button', { name: `Share on ${network}` }).click()
    expect(await page.evaluate('popups')).toEqual(
      [
        `https://twitter.com/intent/tweet?text=${encodeURIComponent('Join me on X-Automated and get priority access! Use my referral link:')}&url=${link}`,
        `https://www.facebook.com/sharer/sharer.php?u=${link}`,
        `https://www.linkedin.com/sharing/share-offsite/?url=${link}`,
      ].map((url) => [url, '_blank', 'noopener,width=600,height=400']),
    )
    await page.setViewportSize({ width: 390, height: 844 })
    await expectSoundPage(page)
    await page.getByRole('link', { name: 'View Full Leaderboard' }).click()
    await page.waitForURL('**/leaderboard')
  })
})
