import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { callApi, expectSoundPage, hastenUntil, openWorld, refuse, signUp, type World } from '../world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})

const dialog = (page: Page) => page.getByRole('dialog').last()
const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name })
const waitForDialogToClose = (page: Page) => page.getByRole('dialog').waitFor({ state: 'detached' })

describe('lists, in a browser', () => {
  it('creates, fills, copies and deletes manual and smart lists, on My Lists and on the Lead Lists tab', async () => {
    const page = await world.openPage()
    const people = Array.from({ length: 45 }, (_, i) => `person_${i},Person ${i},${i * 100},${i < 5 ? 'Maker' : ''}`)
    await (await signUp(world, 'lists@example.com')).enter(page)
    const csv = `twitter_handle,name,follower_count,bio\n${people.join('\n')}\n`
    expect((await callApi(page, 'POST', '/leads/import', csv, 'text/csv')).imported).toBe(45)

    // The empty state, and the required name.
    await page.goto('/lists')
    await page.getByText('No lists found. Create your first list to get started!').waitFor()
    await page.getByRole('button', { name: 'Create List' }).click()
    await dialog(page).getByRole('button', { name: 'Create List' }).click()
    await dialog(page).getByText('List name cannot be empty.').waitFor()
    await expectSoundPage(page)
    await dialog(page).getByLabel('List name').fill('Founders')
    await dialog(page).getByRole('button', { name: 'Create List' }).click()
    await page.getByText('List “Founders” created.').waitFor()
    await waitForDialogToClose(page)

    // The selection survives searches. Only changes are saved.
    await row(page, 'Founders').getByRole('button', { name: 'Manage Leads' }).click()
    await dialog(page).getByRole('checkbox', { name: 'Select all on this page' }).check()
    await dialog(page).getByText('20 to add').waitFor()
    await dialog(page).getByLabel('Search leads').fill('Maker')
    await dialog(page).getByText('5 leads', { exact: true }).waitFor()
    await dialog(page).getByRole('checkbox', { name: 'Select Person 3', exact: true }).check()
    await dialog(page).getByText('21 to add').waitFor()
    await expectSoundPage(page)
    await dialog(page).getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('21 leads added to the list successfully!').waitFor()
    await waitForDialogToClose(page)
    await row(page, 'Founders').getByText('0 contacted · 21 pending').waitFor()
    await row(page, 'Founders').getByRole('button', { name: 'Manage Leads' }).click()
    await dialog(page).getByLabel('Search leads').fill('Maker')
    const three = dialog(page).getByRole('checkbox', { name: 'Select Person 3', exact: true })
    await three.and(page.locator(':checked')).waitFor()
    await three.uncheck()
    await dialog(page).getByText('1 to remove').waitFor()
    await dialog(page).getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('1 lead removed from the list.').waitFor()
    await waitForDialogToClose(page)

    // Viewing the leads of a list.
    await row(page, 'Founders').getByRole('button', { name: 'View Leads' }).click()
    await dialog(page).getByRole('heading', { name: 'Leads in Founders' }).waitFor()
    await dialog(page).getByText('Person 44').waitFor()
    await dialog(page).getByRole('cell', { name: 'Not sent', exact: true }).first().waitFor()
    await expectSoundPage(page)
    await dialog(page).getByRole('button', { name: 'Close' }).last().click()
    await waitForDialogToClose(page)

    // A copy, and a smart list.
    await row(page, 'Founders').getByRole('button', { name: 'Duplicate' }).click()
    await page.getByText('List “Founders (copy)” created.').waitFor()
    await row(page, 'Founders (copy)').getByText('0 contacted · 20 pending').waitFor()
    await page.getByRole('button', { name: 'Create List' }).click()
    // The first field has focus.
    await dialog(page).getByLabel('List name').and(page.locator(':focus')).waitFor()
    await page.keyboard.type('Makers')
    await dialog(page).getByRole('radio', { name: 'Smart list' }).check()
    await dialog(page).getByLabel('Keyword').fill('maker')
    await dialog(page).getByLabel('Min followers').fill('200')
    await dialog(page).getByLabel('Max followers').fill('100')
    await dialog(page).getByText('Less than the minimum').waitFor()
    await dialog(page).getByLabel('Max followers').fill('')
    await expectSoundPage(page)
    await dialog(page).getByRole('button', { name: 'Create List' }).click()
    await waitForDialogToClose(page)
    await row(page, 'Makers').getByText('Smart').waitFor()
    await row(page, 'Makers').getByText('0 contacted · 3 pending').waitFor()
    await callApi(
      page,
      'POST',
      '/leads/import',
      'twitter_handle,follower_count,bio\nnew_one,900,a maker too\n',
      'text/csv',
    )
    await row(page, 'Makers').getByRole('button', { name: 'View Leads' }).click()
    await dialog(page).getByText('@new_one').waitFor()
    await dialog(page).getByRole('button', { name: 'Close' }).last().click()
    await waitForDialogToClose(page)
    await row(page, 'Makers').getByRole('button', { name: 'Edit filter' }).click()
    await dialog(page).getByLabel('Min followers').fill('900')
    await dialog(page).getByRole('button', { name: 'Save changes' }).click()
    await waitForDialogToClose(page)
    await row(page, 'Makers').getByText('0 contacted · 1 pending').waitFor()

    // The page of a list: the people, a search, a removal with Undo, and a campaign.
    await row(page, 'Founders').getByRole('link', { name: 'Founders', exact: true }).click()
    await page.getByRole('heading', { name: 'Founders', exact: true }).waitFor()
    await row(page, 'Person 43').waitFor()
    await page.getByLabel('Keyword').fill('person 44')
    await row(page, 'Person 43').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Remove @person_44 from list' }).click()
    await page.getByText('Nobody on this list matches').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await row(page, 'Person 44').waitFor()
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByRole('button', { name: 'Status', exact: true }).click()
    await page.getByRole('button', { name: 'Sent', exact: true }).click()
    await page.getByText('Nobody on this list matches').waitFor()
    await page.getByRole('button', { name: 'Remove filter: Status' }).click()
    await page.getByRole('checkbox', { name: 'Select @person_44', exact: true }).check()
    await page.getByText('1 person selected').waitFor()
    await expectSoundPage(page)
    await page.getByRole('link', { name: 'Start campaign' }).click()
    await expect.poll(() => page.getByLabel('Campaign Name').inputValue()).toMatch(/^Founders, /)
    world.expectConsole(/status of 404/)
    await page.goto('/lists/01900000-0000-7000-8000-000000000000')
    await page.getByText('List not found or access denied').waitFor()
    await page.getByRole('link', { name: 'Back to lists' }).click()

    // A list that is deleted in another tab.
    const { id: deleted } = await callApi(page, 'POST', '/lists', { name: 'Deleted elsewhere' })
    await page.goto(`/lists/${deleted}`)
    await page.getByRole('heading', { name: 'Deleted elsewhere' }).waitFor()
    await callApi(page, 'DELETE', `/lists/${deleted}`)
    await page.evaluate(() => new BroadcastChannel('x-automated-data').postMessage('changed'))
    await page.getByText('List not found or access denied').waitFor()
    await page.getByRole('link', { name: 'Back to lists' }).click()

    // Deleting requires confirmation.
    await row(page, 'Founders (copy)').getByRole('button', { name: 'Delete' }).click()
    await page
      .getByText('Are you sure you want to delete this list? This will also remove all associated leads.')
      .waitFor()
    await page.getByRole('button', { name: 'Delete list' }).click()
    await page.getByText('List “Founders (copy)” deleted.').waitFor()
    await row(page, 'Founders (copy)').waitFor({ state: 'detached' })
    // The next row has the focus.
    await expect.poll(() => page.evaluate(() => document.activeElement?.localName)).toBe('tr')
    await page.setViewportSize({ width: 390, height: 844 })
    await expectSoundPage(page)

    const founders = (await callApi(page, 'GET', '/lists')).lists.find(
      ({ name }: { name: string }) => name === 'Founders',
    )
    await callApi(page, 'POST', '/campaigns', {
      name: 'Spring',
      leadListId: founders.id,
      messageTemplate: 'Hello',
      status: 'paused',
    })

    // The Lead Lists tab, on a phone first.
    await page.goto('/twitter?tab=lists')
    const card = (name: string) =>
      page.getByRole('listitem').filter({ has: page.getByRole('heading', { name, exact: true }) })
    await card('Founders').waitFor()
    await card('Makers').getByText('Smart').waitFor()
    // Each card shows the progress of its messages, and what is next.
    await card('Founders').getByText('0 of 20', { exact: true }).waitFor()
    await card('Founders').getByRole('link', { name: 'Open campaign' }).waitFor()
    await card('Makers').getByText('No campaign uses this list yet.').waitFor()
    await card('Makers').getByRole('link', { name: 'Start campaign' }).waitFor()
    await page.getByRole('tabpanel').getByRole('link', { name: 'My Lists' }).waitFor()
    await expectSoundPage(page)
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.getByRole('button', { name: 'Create New Campaign' }).click()
    await dialog(page).getByRole('button', { name: 'Create campaign' }).click()
    await dialog(page).getByText('Campaign name is required').waitFor()
    await dialog(page).getByLabel('Campaign Name').fill('Spring')
    await dialog(page).getByLabel('Tags').fill('saas, , berlin ,')
    await expectSoundPage(page)
    await dialog(page).getByRole('button', { name: 'Create campaign' }).click()
    await waitForDialogToClose(page)
    await expect
      .poll(() => card('Spring').getByRole('list', { name: 'Tags' }).getByRole('listitem').allInnerTexts())
      .toEqual(['saas', 'berlin'])
    await card('Spring').getByRole('button', { name: 'Add leads' }).waitFor()
    await card('Spring').getByRole('button', { name: 'View Leads' }).click()
    await dialog(page).getByText('No leads in this campaign yet. Add leads from your dashboard.').waitFor()
    await dialog(page).getByRole('button', { name: 'Add Leads' }).click()
    await dialog(page).getByRole('heading', { name: 'Manage leads in Spring' }).waitFor()
    await dialog(page).getByRole('checkbox', { name: 'Select Person 44', exact: true }).check()
    await dialog(page).getByRole('button', { name: 'Save changes' }).click()
    await waitForDialogToClose(page)
    await card('Spring').getByRole('button', { name: 'View Leads' }).click()
    await dialog(page).getByText('Not Sent', { exact: true }).waitFor()
    expect(await dialog(page).getByRole('columnheader').allInnerTexts()).toEqual([
      'Twitter Handle',
      'Name',
      'Followers',
      'Status',
    ])
    await expectSoundPage(page)
    await dialog(page).getByRole('button', { name: 'Close' }).last().click()
    await waitForDialogToClose(page)
    await card('Spring').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Are you sure you want to delete this campaign?').waitFor()
    await page.getByRole('button', { name: 'Delete campaign' }).click()
    await card('Spring').waitFor({ state: 'detached' })

    // Errors are shown.
    world.expectConsole(/Failed to load resource|net::ERR/)
    await page.clock.install()
    const fails = async (method: string, path: RegExp, refusal?: string) => {
      await page.unrouteAll()
      await page.route(path, (route) => {
        if (route.request().method() !== method) return route.continue()
        return refusal ? refuse(route, 403, 'FORBIDDEN', refusal) : route.fulfill({ status: 500, body: 'broken' })
      })
    }
    const close = async () => {
      await dialog(page).getByRole('button', { name: 'Close' }).last().click()
      await waitForDialogToClose(page)
    }
    await fails('DELETE', /\/api\/lists\//)
    await card('Makers').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Delete campaign' }).click()
    await page.getByText('Failed to delete campaign. Please try again.').waitFor()
    await fails('GET', /\/api\/lists\/[^/]+\/leads/)
    await card('Makers').getByRole('button', { name: 'View Leads' }).click()
    await hastenUntil(page, dialog(page).getByText('Failed to load campaign leads. Please try again.'))
    await close()
    await fails('POST', /\/api\/lists$/)
    await page.getByRole('button', { name: 'Create New Campaign' }).click()
    await dialog(page).getByLabel('Campaign Name').fill('Spring')
    await dialog(page).getByRole('button', { name: 'Create campaign' }).click()
    await dialog(page).getByText('Failed to create campaign. Please try again.').waitFor()
    await fails('GET', /\/api\/lists/)
    await page.goto('/twitter?tab=lists')
    await hastenUntil(page, page.getByText('Failed to load campaigns. Please try again.'))
    await page.getByRole('link', { name: 'Lists', exact: true }).click()
    await hastenUntil(page, page.getByText('Failed to fetch lists. Please try again.'))
    await page.unrouteAll()
    // The page recovers without a click.
    await hastenUntil(page, row(page, 'Founders').first())

    await fails('POST', /\/api\/lists$/)
    await page.getByRole('button', { name: 'Create List' }).click()
    await dialog(page).getByLabel('List name').fill('Spring')
    await dialog(page).getByRole('button', { name: 'Create List' }).click()
    await dialog(page).getByText('Failed to create list. Please try again.').waitFor()
    await dialog(page).getByRole('button', { name: 'Cancel' }).click()
    await waitForDialogToClose(page)
    await fails('DELETE', /\/api\/lists\//)
    // The confirmation appears immediately, and names the campaigns that use the list before the
    // user decides.
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route(/\/api\/campaigns\?/, async (route) => {
      await held
      await route.continue()
    })
    await row(page, 'Founders').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Checking which campaigns use it…').waitFor()
    expect(await page.getByRole('button', { name: 'Delete list' }).isDisabled()).toBe(true)
    release()
    await page.getByText('The campaign “Spring” uses this list and could no longer be launched.').waitFor()
    await page.getByRole('button', { name: 'Delete list' }).click()
    await page.getByText('Failed to delete list. Please try again.').waitFor()
    await waitForDialogToClose(page)
    await fails('GET', /\/api\/leads\?/, 'Not yours')
    await row(page, 'Founders').getByRole('button', { name: 'View Leads' }).click()
    await dialog(page).getByText('Failed to fetch leads for list: Not yours').waitFor()
    await close()
    await row(page, 'Founders').getByRole('button', { name: 'Manage Leads' }).click()
    await dialog(page).getByText('Failed to fetch all user leads: Not yours').waitFor()
    await fails('POST', /\/api\/lists\/[^/]+\/members/, 'Not yours')
    await dialog(page).getByRole('button', { name: 'Try Again' }).click()
    await dialog(page).getByText('Failed to fetch leads for list: Not yours').waitFor()
    await fails('POST', /\/api\/lists\/[^/]+\/leads/, 'Not yours')
    await dialog(page).getByRole('button', { name: 'Try Again' }).click()
    await dialog(page).getByLabel('Search leads').fill('Maker')
    await dialog(page).getByRole('checkbox', { name: 'Select Person 3', exact: true }).check()
    await dialog(page).getByRole('button', { name: 'Save changes' }).click()
    await dialog(page).getByText('Failed to add leads: Not yours').waitFor()
    await dialog(page).getByText('Failed to save changes.', { exact: true }).waitFor()
    await dialog(page).getByRole('checkbox', { name: 'Select Person 3', exact: true }).uncheck()
    await dialog(page).getByLabel('Search leads').fill('Person 44')
    const last = dialog(page).getByRole('checkbox', { name: 'Select Person 44', exact: true })
    await last.and(page.locator(':checked')).waitFor()
    await last.uncheck()
    await fails('DELETE', /\/api\/lists\/[^/]+\/leads/, 'Not yours')
    await dialog(page).getByRole('button', { name: 'Save changes' }).click()
    await dialog(page).getByText('Failed to remove leads: Not yours').waitFor()
    await page.unrouteAll()
    await dialog(page).getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('1 lead removed from the list.').waitFor()

    // Dark, with the empty state.
    for (const { id } of (await callApi(page, 'GET', '/lists')).lists) await callApi(page, 'DELETE', `/lists/${id}`)
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.goto('/twitter?tab=lists')
    await page.getByText('No campaigns yet. Create your first campaign to organize your leads.').waitFor()
    await expectSoundPage(page)
  })
})
