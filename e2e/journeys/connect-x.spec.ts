import { idOfHandle } from '@x-automated/stand-ins/x/ids'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { expectSoundPage, hastenUntil, openWorld, refuse, signUp, type World } from '../world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})

async function setFaults(...faults: object[]) {
  await fetch(`${world.x.url}/_faults`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(faults),
  })
}

const heading = (page: Page) => page.getByRole('button', { name: /^Current X account/ })
const narrow = (page: Page) => page.setViewportSize({ width: 390, height: 844 })

describe('connecting X, in a browser', () => {
  it('connects accounts by password and on X, and restores a lost one', async () => {
    const page = await world.openPage()
    await (await signUp(world, 'connect@example.com')).enter(page)
    await page.goto('/twitter')
    await page.getByText('Not Connected').waitFor()
    await page.getByText('Last connected: Never').waitFor()
    await expectSoundPage(page)

    // The form: required fields, no @, and the error for a wrong password.
    const connect = page.getByRole('button', { name: 'Connect X', exact: true })
    expect(await connect.isDisabled()).toBe(true)
    await page.getByLabel('Username').fill('@founder')
    expect(await connect.isDisabled()).toBe(true)
    await page.getByLabel('Password', { exact: false }).first().fill('short')
    await connect.click()
    await page.getByText('Please enter your Twitter username without the @ symbol').waitFor()
    await page.getByLabel('Username').fill('founder')
    world.expectConsole(/status of 400/)
    await connect.click()
    await page.getByText('Failed to connect Twitter account. Please check your credentials and try again.').waitFor()

    // X's page: canceled, then accepted.
    await page.getByRole('button', { name: 'Continue on X' }).click()
    await page.waitForURL(/\/i\/oauth2\/authorize/)
    await page.getByRole('button', { name: /cancel/i }).click()
    await page.getByText("You didn't approve access on X, so nothing was connected.").waitFor()
    expect(new URL(page.url()).search).toBe('')
    await expectSoundPage(page)
    await page.getByRole('button', { name: 'Continue on X' }).click()
    await page.waitForURL(/\/i\/oauth2\/authorize/)
    await page.getByLabel(/username/i).fill('founder_oauth')
    await page.getByLabel(/password/i).fill('any eight or more')
    await page.getByRole('button', { name: /authorize|allow/i }).click()
    await page.getByText('Twitter account connected successfully!').waitFor()
    const decision = page.getByRole('dialog', { name: 'Store conversations of @founder_oauth?' })
    await decision.getByRole('button', { name: 'Store conversations' }).click()
    await decision.waitFor({ state: 'detached' })
    await page.getByText('Connected', { exact: true }).first().waitFor()
    await page.getByText('Your plan includes 1 X account.').waitFor()
    await page.getByText('of 500 in 24 hours').waitFor()
    await expect.poll(() => page.getByText('Followers', { exact: true }).locator('xpath=..').innerText()).toMatch(/\d/)
    await expectSoundPage(page)

    // With a larger plan, a second account is added and becomes the current one.
    await world.subscribe('connect@example.com')
    await page.reload()
    await page.getByText('1 of 10 X accounts connected').waitFor()
    await page.getByRole('button', { name: 'Connect another account' }).click()
    await page.getByLabel('Username').fill('founder_two')
    await page.getByLabel('Password', { exact: false }).first().fill('any eight or more')
    await connect.click()
    // Closing the dialog decides nothing. It opens only once.
    const second = page.getByRole('dialog', { name: 'Store conversations of @founder_two?' })
    await second.waitFor()
    await expectSoundPage(page)
    await page.keyboard.press('Escape')
    await second.waitFor({ state: 'detached' })
    await page.getByText('2 of 10 X accounts connected').waitFor()
    await page.getByText('Nobody has decided yet. Only reply times and labels are kept.').waitFor()
    await page.reload()
    await page.getByText('2 of 10 X accounts connected').waitFor()
    expect(await second.count()).toBe(0)
    await expect.poll(() => heading(page).innerText()).toMatch(/@founder_two$/)
    // Switch accounts by keyboard, once the code for this has loaded, and back with the menu.
    const switched = page.getByText('Switched to @founder_oauth.')
    const pressKey = async () => {
      await page.keyboard.press('Alt+x')
      return switched.waitFor({ timeout: 5_000 }).then(
        () => true,
        () => false,
      )
    }
    await expect.poll(pressKey).toBe(true)
    await expect.poll(() => heading(page).innerText()).toMatch(/@founder_oauth$/)
    await heading(page).click()
    await page.getByRole('menuitem', { name: /founder_two/ }).click()
    await expect.poll(() => heading(page).innerText()).toMatch(/@founder_two$/)
    await narrow(page)
    await expectSoundPage(page)

    // A locked account shows here and on campaigns. It recovers once it is unlocked.
    const reason = 'X has locked this account. Unlock it on x.com, then refresh its status under Connect X.'
    await setFaults({ path: '/2/users/me', status: 403, code: 326, times: 1 })
    await page.getByRole('button', { name: 'Refresh status' }).click()
    await page.getByText('The connection was lost').waitFor()
    await page.getByText(reason).first().waitFor()
    await expectSoundPage(page)
    for (const path of ['/campaigns', '/twitter?tab=scraper']) {
      await page.goto(path)
      await page.getByText('The connection to @founder_two was lost').waitFor()
      await page.getByText(reason).waitFor()
    }
    await page.goto('/twitter')
    await page.getByRole('button', { name: 'Refresh status' }).click()
    await page.getByText('The connection was lost').waitFor({ state: 'detached' })

    // Disconnecting requires confirmation. The other account becomes current.
    await page.getByRole('button', { name: 'Disconnect', exact: true }).first().click()
    const question = page.getByRole('alertdialog').or(page.getByRole('dialog'))
    await question
      .getByText(
        'Are you sure you want to disconnect your Twitter account? You will need to reconnect it to use the automation features.',
      )
      .waitFor()
    await expectSoundPage(page)
    world.expectConsole(/status of 500/)
    await page.route('**/api/session/disconnect', (route) => refuse(route, 500, 'INTERNAL', ''))
    await question.getByRole('button', { name: 'Disconnect' }).click()
    await page.getByText('Failed to disconnect Twitter account').waitFor()
    await page.unroute('**/api/session/disconnect')
    await page.getByRole('button', { name: 'Disconnect', exact: true }).first().click()
    await question.getByRole('button', { name: 'Disconnect' }).click()
    await page.getByText('Twitter account disconnected successfully!').waitFor()
    // Widen the page again: on phones, the account is in the menu.
    await page.setViewportSize({ width: 1280, height: 900 })
    await expect.poll(() => heading(page).innerText()).toMatch(/@founder_oauth$/)

    // The redirect's message is not repeated later.
    expect(await page.getByText('Twitter account connected successfully!').count()).toBe(0)
    await page.clock.install()
    await page.route('**/api/session/status', (route) => refuse(route, 500, 'INTERNAL', ''))
    await page.reload()
    await hastenUntil(
      page,
      page.getByText('Failed to get Twitter connection status. Please try refreshing the page.', { exact: true }),
    )
    await page.getByText('Not Connected').waitFor()
  })

  it("scrapes up to the plan's limit, continues after an upgrade and after reconnecting X", async () => {
    const page = await world.openPage({ width: 390, height: 844, dark: true })
    await (await signUp(world, 'scraper@example.com')).enter(page)
    await page.goto('/twitter?tab=scraper')
    await page.getByText('No scrapes yet').waitFor()

    // Scraping without a handle, then without an X account, which can be connected here.
    world.expectConsole(/status of (409|500)/)
    const start = page.getByRole('button', { name: 'Start Scraping' })
    await start.click()
    await page.getByText('Please enter a X handle to scrape').waitFor()
    await page.getByLabel('X Handle to Scrape').fill('@f20_first')
    await page.getByRole('slider').nth(0).focus()
    await page.keyboard.press('Home')
    await page.getByRole('slider').nth(1).focus()
    await page.keyboard.press('End')
    await start.click()
    await page.getByText('Please enter your X credentials, or connect X on its own tab.').waitFor()
    await page.getByText('No X account is connected.').waitFor()
    await page.getByLabel('X Username').fill('scraper_one')
    await page.getByLabel('X Password', { exact: false }).first().fill('any eight or more')
    await page.route('**/api/scrapes', (route) => refuse(route, 500, 'INTERNAL', ''))
    await start.click()
    await page.getByText('Failed to scrape X followers', { exact: true }).waitFor()
    await page.unroute('**/api/scrapes')
    await setFaults({ path: `/2/users/${idOfHandle('f20_first')}/followers`, delayMs: 1500, times: 1 })
    await start.click()
    await page.getByText('Scraping X profiles... This may take a minute.').waitFor()
    expect(await page.getByRole('button', { name: 'Scraping...' }).isDisabled()).toBe(true)
    await page.getByText('Successfully scraped 20 followers from @f20_first').waitFor()
    await page.getByLabel('X Username').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Filters', exact: true }).click()
    await page.getByText('20 of 100 scraped leads used this month').waitFor()

    // The message for a handle without followers differs from the one for a scrape without matches.
    await page.getByLabel('X Handle to Scrape').fill('@f0_nobody')
    await start.click()
    await page.getByText('@f0_nobody has no followers yet. Try another handle.').waitFor()

    // The scrape of an unknown handle cannot be resumed.
    world.expectConsole(/status of 400/)
    const handle = page.getByLabel('X Handle to Scrape')
    await handle.fill('@missing_journey')
    await start.click()
    await page.getByRole('button', { name: 'Try another', exact: true }).click()
    expect(await page.getByRole('button', { name: 'Resume' }).count()).toBe(0)
    await expect.poll(() => handle.evaluate((field) => field === document.activeElement)).toBe(true)

    await page.getByText('No keywords added. Will match all profiles.').waitFor()
    await page.getByLabel('X Handle to Scrape').fill('@f450_journey')
    expect(await page.getByLabel('Lead limit').inputValue()).toBe('80')
    await page.getByLabel('Lead limit').selectOption('1,000 leads')

    // The scrape stops at the plan's limit, keeps its leads, and continues on a larger plan.
    await start.click()
    await page.getByText("Stopped at your plan's limit").waitFor()
    await page
      .getByRole('region', { name: 'Followers of @f450_journey' })
      .getByText(/Your Free plan includes 100 scraped leads a month\. Upgrade to Pro for 1,000 scraped leads a month\./)
      .waitFor()
    await page.getByText('80 leads found').first().waitFor()
    await expectSoundPage(page)
    await world.subscribe('scraper@example.com')
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('Successfully scraped 450 followers from @f450_journey').waitFor()
    await page.getByText('450 leads found').first().waitFor()

    // When X ends the connection, a scrape waits, asks for credentials, and continues
    // automatically.
    world.expectConsole(/status of 40[019]/)
    await setFaults({ path: `/2/users/${idOfHandle('f450_journey')}/followers`, status: 401, times: 2 })
    await page.getByRole('button', { name: 'Run again: Followers of @f450_journey' }).click()
    await page.getByText('X session expired or invalid. Please enter your X credentials.').waitFor()
    await expectSoundPage(page)
    const continueButton = page.getByRole('button', { name: 'Connect X and continue' })
    expect(await continueButton.isDisabled()).toBe(true)
    await page.getByLabel('X Username').fill('scraper_one')
    await page.getByLabel('X Password', { exact: false }).first().fill('any eight or more')
    await continueButton.click()
    await page.getByText('Successfully scraped 450 followers from @f450_journey').waitFor()
    await page.getByLabel('X Username').waitFor({ state: 'detached' })
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.emulateMedia({ colorScheme: 'light' })
    await expectSoundPage(page)
  })
})
