import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { confirmEmail, expectSoundPage, linkInMail, openWorld, type World } from '../world.ts'

const OPERATOR = 'olga@example.com'
const PASSWORD = 'Correct-horse1'

let world: World
beforeAll(async () => {
  world = await openWorld({ OPERATORS: `another@example.com, ${OPERATOR}`, TRUST_PROXY: 'loopback' })
})

let address = 0
async function post(path: string, body: unknown) {
  const response = await fetch(`${world.origin}/api${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': `198.18.${++address}.1` },
    body: JSON.stringify(body),
  })
  expect(response.status).toBe(200)
  return (await response.json()) as { position: number; referralCode: string }
}

/** Signs up, confirms and lands on the dashboard. */
async function signUp(page: Page, email: string) {
  await post('/auth/sign-up/email', { email, password: PASSWORD })
  await confirmEmail(world, email)
  await page.goto('/login')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Log In' }).click()
  await page.waitForURL('**/dashboard')
}

const notFound = (page: Page) => page.getByRole('heading', { name: '404 - Page Not Found' })
const places = async (email: string) => (await post('/waitlist/position', { email })).position

describe('the operator, in a browser', () => {
  it('is hidden from everyone else', async () => {
    const page = await world.openPage()
    await page.goto('/operator')
    await notFound(page).waitFor()
    await signUp(page, 'curious@example.com')
    await page.getByRole('button', { name: 'Profile menu' }).click()
    await page.getByRole('menuitem', { name: 'Logout' }).waitFor()
    expect(await page.getByRole('menuitem', { name: 'Operator' }).count()).toBe(0)
    await page.goto('/operator')
    await notFound(page).waitFor()
    expect(await page.title()).toBe('Page not found · X-Automated')
    await expectSoundPage(page)
  })

  it('monitors the waitlist, decides on referrals, invites and exports', async () => {
    for (let n = 1; n <= 7; n += 1) await post('/waitlist/join', { email: `early${n}@example.com` })
    const { referralCode } = await post('/waitlist/join', { email: 'ray@example.com' })
    await post('/track-view', { path: '/', ref: referralCode })
    await post('/waitlist/join', { email: 'fake1@mailinator.com', referralCode, path: '/' })
    await post('/waitlist/join', { email: 'fake2@mailinator.com', referralCode, path: '/embed' })

    const page = await world.openPage()
    await signUp(page, OPERATOR)
    await page.getByRole('button', { name: 'Profile menu' }).click()
    await page.getByRole('menuitem', { name: 'Operator' }).click()
    await page.waitForURL('**/operator')
    await page.getByRole('heading', { name: 'Operator', level: 1 }).waitFor()
    expect(await page.title()).toBe('Operator · X-Automated')

    // Growth: ten joined today, and two referrals are held.
    const figure = (label: string) => page.locator('dl > div').filter({ hasText: label }).locator('dd').first()
    await expect.poll(() => figure('Members').innerText()).toBe('10')
    await expect.poll(() => figure('Held referrals').innerText()).toBe('2')
    await page.locator('figure svg.recharts-surface').first().waitFor()
    await expectSoundPage(page)
    await page.getByRole('button', { name: 'Show as table' }).click()
    const growth = page.getByRole('table', { name: 'Waitlist growth' })
    expect(await growth.getByRole('row').nth(1).innerText()).toMatch(/20\d\d\s+10\s+10$/)
    await expectSoundPage(page)

    // A held referral is released, reverted and refused.
    await page.getByRole('tab', { name: /^Held referrals/ }).click()
    const row = page.getByRole('row', { name: /fake1@mailinator\.com/ })
    expect(await row.innerText()).toMatch(/ray@example\.com\s+Disposable email address/)
    await expectSoundPage(page)
    expect(await places('ray@example.com')).toBe(8)
    await row.getByRole('button', { name: /^Release/ }).click()
    await row.waitFor({ state: 'detached' })
    await expect.poll(() => places('ray@example.com')).toBe(3)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Referral held again').waitFor()
    await row.waitFor()
    expect(await places('ray@example.com')).toBe(3)
    await row.getByRole('button', { name: /^Reject/ }).click()
    await row.waitFor({ state: 'detached' })
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByRole('button', { name: /^Release the referral of fake2/ }).waitFor()
    await expectSoundPage(page)
    await page.getByRole('button', { name: /^Reject the referral of fake2/ }).click()
    await page.getByText('No pending decisions').waitFor()
    await page.setViewportSize({ width: 1280, height: 900 })

    // Inviting requires confirmation, then emails a sign-up link.
    await page.getByRole('tab', { name: 'Overview' }).click()
    const count = page.getByLabel('How many')
    await count.fill('0')
    await page.getByRole('button', { name: 'Invite', exact: true }).click()
    await page.getByText('Enter a whole number from 1 to 1,000.').waitFor()
    await count.fill('3')
    await page.getByRole('button', { name: 'Invite', exact: true }).click()
    await page.getByRole('heading', { name: 'Invite the next 3 members?' }).waitFor()
    await page.getByRole('button', { name: 'Invite 3' }).click()
    await page.getByText('3 members invited. Their emails are on the way.').waitFor()
    await expect.poll(() => figure('Invited').innerText()).toBe('3')
    expect(await linkInMail(world.mailbox, 'ray@example.com', /^Your invitation/)).toBe(`${world.origin}/auth`)
    expect(await places('ray@example.com')).toBe(3)

    await page.getByRole('tab', { name: 'X credits' }).click()
    await page.getByText('X has not refused the X app of this server for lack of credits').waitFor()
    await expectSoundPage(page)

    await page.getByRole('tab', { name: 'Unreadable from X' }).click()
    await page.getByText('Everything X sent could be read').waitFor()
    await expectSoundPage(page)

    // Search by the start of an address and by position.
    await page.getByRole('tab', { name: 'Members' }).click()
    const members = page.getByRole('table', { name: 'Members' })
    await expect.poll(() => members.getByRole('row').count()).toBe(11)
    await page.getByLabel('Search members').fill('ray')
    await expect.poll(() => members.getByRole('row').count()).toBe(2)
    await members.getByRole('cell', { name: 'ray@example.com' }).waitFor()
    await page.getByLabel('Search members').fill('#1')
    await members.getByRole('cell', { name: 'early1@example.com' }).waitFor()
    await expectSoundPage(page)
    await page.getByLabel('Search members').fill('nobody')
    await page.getByText('No matches').waitFor()
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByLabel('Search members').fill('early')
    await members.getByRole('cell', { name: 'early7@example.com' }).waitFor()
    await expectSoundPage(page)

    // Views and joins by page and referral code.
    await page.getByRole('tab', { name: 'Views and joins' }).click()
    const sources = page.getByRole('table', { name: 'Sources' })
    await sources.getByRole('cell', { name: '/embed' }).waitFor()
    await expectSoundPage(page)
    await page.setViewportSize({ width: 1280, height: 900 })
    expect(await sources.getByRole('row', { name: /^\/waitlist/ }).innerText()).toMatch(/\/waitlist\s+0\s+8\s+–/)
    await page.getByLabel('Grouped by').selectOption('ref')
    const rays = sources.getByRole('row', { name: new RegExp(referralCode) })
    await rays.waitFor()
    expect(await rays.innerText()).toMatch(/ray@example\.com\s+1\s+2\s+200%/)
    await page.getByLabel('From', { exact: true }).fill('2026-01-01')
    await page.getByText('Choose at most 92 days.').waitFor()
    await page.getByLabel('To', { exact: true }).fill('2026-01-02')
    await page.getByText('No data for these dates').waitFor()

    // Export of all members.
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ])
    // Includes the two who have an account but never joined.
    await page.getByText('12 members exported').waitFor()
    const csv = readFileSync(await download.path(), 'utf8')
    expect(csv).toMatch(/^\uFEFFid,email,referral_code,referred_by,signup_date,position,achievements/)
    expect(csv).toContain('ray@example.com')

    // The log shows every action with its author.
    await page.getByRole('tab', { name: 'Log' }).click()
    const log = page.getByRole('table', { name: 'Log' })
    for (const [what, whom] of [
      ['Exported members', /members/],
      ['Invited members', '3 members'],
      ['Released a referral', 'fake1@mailinator.com'],
      ['Held a referral again', 'fake1@mailinator.com'],
    ] as const)
      await log
        .getByRole('row')
        .filter({ hasText: what })
        .filter({ hasText: whom })
        .filter({ hasText: OPERATOR })
        .waitFor()
    await expectSoundPage(page)
  })
})
