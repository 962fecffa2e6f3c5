import { randomBytes } from 'node:crypto'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { expectSoundPage, linkInMail, messagesAtX, openWorld, type World } from '../world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})

const PASSWORD = 'Correct-horse1'
/** A new handle each time, so that a retry doesn't meet people from the first attempt. */
const newHandle = () => `person_${randomBytes(3).toString('hex')}`

/** Signs up and confirms the email in the browser. */
async function signUp(page: Page, email: string) {
  await page.goto('/auth')
  await page.getByRole('heading', { name: 'Create an Account' }).waitFor()
  await expectSoundPage(page)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign Up', exact: true }).click()
  await page
    .getByText('Almost there! Check your email for a confirmation link to complete your registration.')
    .waitFor()
  await page.goto(await linkInMail(world.mailbox, email, /Confirm/))
  await page.waitForURL('**/dashboard')
}

async function connectX(page: Page, username: string) {
  await page.goto('/twitter')
  await page.getByText('Not Connected').first().waitFor()
  await page.getByLabel(/username/i).fill(username)
  await page.getByLabel('Password', { exact: false }).first().fill('any eight or more')
  await expectSoundPage(page)
  await page.getByRole('button', { name: 'Connect X', exact: true }).click()
  await page.getByText('Twitter account connected successfully!').waitFor()
  const consent = page.getByRole('dialog', { name: `Store conversations of @${username}?` })
  await consent.getByRole('button', { name: 'Only labels' }).click()
  await page.getByRole('button', { name: 'Disconnect' }).waitFor()
  await expect.poll(() => page.evaluate(() => document.activeElement?.matches('body, main'))).toBe(false)
}

/** Looks at the handle's followers, then saves all who have up to 1,000,000 followers. */
async function scrape(page: Page, handle: string, count: number) {
  await page.getByRole('tab', { name: 'X Scraper' }).click()
  await page.getByLabel('X Handle to Scrape').fill(`@${handle}`)
  const sliders = page.getByRole('slider')
  await sliders.nth(0).focus()
  await page.keyboard.press('Home')
  await sliders.nth(1).focus()
  await page.keyboard.press('End')
  await page.getByLabel('Lead limit').selectOption('1,000 leads')
  await page.getByLabel('X Handle to Scrape').press('Enter')
  await page.getByText('The first 25 profiles. 25 of them match your filters. Nobody is saved yet.').waitFor()
  await expectSoundPage(page)
  // Another Enter saves nobody and uses up no look.
  await page.getByLabel('X Handle to Scrape').press('Enter')
  const save = page.getByRole('button', { name: 'Save up to 1,000 leads' })
  await expect.poll(() => save.evaluate((button) => button === document.activeElement)).toBe(true)
  await page.getByText('3 looks left today.').waitFor()
  await save.press('Enter')
  await page.getByText(new RegExp(`Successfully scraped ${count} followers from @${handle}`)).waitFor()
  await page
    .getByText(new RegExp(`${count} leads found`))
    .first()
    .waitFor()
}

/** Adds the ten leads of the first page to a new list. */
async function pickIntoList(page: Page, name: string) {
  await page.goto('/leads')
  await page.getByRole('row').nth(1).waitFor()
  await page.getByRole('checkbox', { name: 'Select all leads on this page' }).check()
  await page.getByRole('button', { name: 'Add to list' }).first().click()
  await page.getByLabel('Name of your first list').fill(name)
  await expectSoundPage(page)
  await page.getByRole('button', { name: 'Create List' }).click()
  await page.getByRole('radio', { name }).waitFor()
  await page.getByRole('dialog').getByRole('button', { name: /^Add/ }).click()
  await page.getByText('10 leads added to the list successfully!').waitFor()
}

async function makeList(page: Page, name: string, total: number) {
  await page.goto('/leads')
  await page.getByRole('heading', { name: 'Twitter Leads' }).waitFor()
  await page.getByRole('row').nth(1).waitFor()
  await expectSoundPage(page)
  // Uses the API, because selecting hundreds of leads by clicking is slow. The other journey
  // clicks.
  await page.evaluate(
    async ([listName]) => {
      const call = async (path: string, body: unknown) => {
        const response = await fetch(`/api${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${localStorage.getItem('authToken')}` },
          body: JSON.stringify(body),
        })
        return response.json()
      }
      const list = await call('/lists', { name: listName, description: 'Everyone who follows the handle' })
      await call(`/lists/${list.id}/leads`, { filter: {} })
    },
    [name],
  )
  await page.goto('/lists')
  await page
    .getByRole('row', { name: new RegExp(name) })
    .getByText(String(total), { exact: true })
    .waitFor()
  await expectSoundPage(page)
}

async function launch(page: Page, name: string, list: string, count: number) {
  await page.goto('/campaigns')
  await page.getByLabel('Campaign Name').fill(name)
  await page.getByLabel('Select Lead List').click()
  await page.getByRole('option', { name: new RegExp(list) }).click()
  await page
    .getByLabel(/message/i)
    .first()
    .fill('Hi {lead_name}, I saw {twitter_handle} on X.')
  await expectSoundPage(page)
  await page.getByRole('button', { name: 'Launch Campaign' }).click()
  await page.getByText(`Campaign "${name}" launched! ${count} DMs queued for ${count} leads.`).waitFor()
}

async function expectOneMessageEach(sender: string, count: number) {
  const sent = (await messagesAtX(world.x)).filter((dm) => dm.from.toLowerCase() === sender)
  expect(sent).toHaveLength(count)
  expect(new Set(sent.map((dm) => dm.to.toLowerCase())).size).toBe(count)
  for (const dm of sent)
    expect(dm.text.toLowerCase()).toMatch(new RegExp(`^hi .+, i saw @${dm.to.toLowerCase()} on x\\.$`))
}

describe('the main job, in a browser', () => {
  it('runs from sign-up to a finished campaign', async () => {
    const [page, sender] = [await world.openPage(), newHandle()]
    await signUp(page, `${sender}@example.com`)
    await connectX(page, sender)
    await scrape(page, 'allopen_f25', 25)
    await pickIntoList(page, 'Early users')
    await launch(page, 'Hello', 'Early users', 10)
    await page.getByText('Campaign "Hello" is now complete!').waitFor({ timeout: 120_000 })
    const row = page.getByRole('row', { name: /Hello/ })
    await expect.poll(() => row.innerText()).toMatch(/completed/i)
    expect(await row.innerText()).toMatch(/0 \/ 10/)
    await expectSoundPage(page)
    await row.getByRole('link', { name: 'Hello' }).click()
    await page.waitForURL('**/campaigns/*')
    await page.getByRole('heading', { name: 'Hello' }).waitFor()
    await expectSoundPage(page)
    await expectOneMessageEach(sender, 10)
  })

  it('continues after the server was killed while sending, and keeps the open page up to date', async () => {
    // The browser logs failed requests while the server is down.
    world.expectConsole(/Failed to load resource|ERR_CONNECTION|net::ERR/)
    const [page, sender] = [await world.openPage({ width: 390, height: 844 }), newHandle()]
    await signUp(page, `${sender}@example.com`)
    await world.subscribe(`${sender}@example.com`)
    await connectX(page, sender)
    await scrape(page, 'allopen_f300', 300)
    await makeList(page, 'Everyone', 300)
    await launch(page, 'Long one', 'Everyone', 300)
    const sentBy = async () => (await messagesAtX(world.x)).filter((dm) => dm.from === sender).length
    await expect.poll(sentBy, { timeout: 120_000, interval: 10 }).toBeGreaterThan(10)
    await world.killServer()
    expect(await sentBy()).toBeLessThan(300)
    await world.startServer()
    await page.getByText('Campaign "Long one" is now complete!').waitFor({ timeout: 240_000 })
    await expectOneMessageEach(sender, 300)
  })
})
