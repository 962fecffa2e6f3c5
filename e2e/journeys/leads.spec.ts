import { readFile } from 'node:fs/promises'
import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  callApi,
  expectSoundBothWays,
  expectSoundPage,
  hastenUntil,
  importLeads,
  openWorld,
  refuse,
  signIn,
  signUp,
  type World,
} from '../world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})

/** Makes a CSV file as another program would export it, with 64 people and one invalid line. */
function file() {
  const people = Array.from({ length: 64 }, (_, n) => {
    const bio =
      n % 5 === 0 ? '' : `${n % 2 ? 'Founder of a SaaS' : 'Paints'} ${'and so on '.repeat(n === 1 ? 15 : 0)}`.trim()
    return `@person_${n},Person ${String(n).padStart(2, '0')},${bio},${n % 7 === 0 ? '' : n * 100},Company ${n},${n % 8 === 0 ? 'VIP' : ''}`
  })
  return ['Screen Name,Full Name,About,Followers,Company,Groups', ...people, 'not a handle,X,,,,'].join('\n')
}

const rowOf = (page: Page, handle: string) => page.getByRole('row').filter({ hasText: `@${handle}` })
const tick = (page: Page, handle: string) => page.getByRole('checkbox', { name: `Select @${handle}` })
/** Adds a filter chip with '+ Filter'. */
async function filterBy(page: Page, criterion: string, value?: string) {
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  const popup = page.getByRole('dialog', { name: 'Add a filter' })
  await popup.getByRole('button', { name: criterion, exact: true }).click()
  if (value) await popup.getByRole('button', { name: value, exact: true }).click()
}
const dismissToast = async (page: Page, text: string) => {
  await page.getByText(text).first().waitFor()
  // A toast may disappear before the click.
  for (const close of await page.getByRole('button', { name: 'Close notification' }).all())
    await close.click({ timeout: 1_000 }).catch(() => {})
}

describe('the leads page, in a browser', () => {
  it('imports, filters, sorts, selects, tags, suppresses, deletes and restores leads', async () => {
    const page = await world.openPage()
    await (await signUp(world, 'lea@example.com')).enter(page)
    await page.goto('/leads')
    await page.getByText('No leads yet').waitFor()

    // Import: columns are mapped first.
    await page.getByRole('button', { name: 'Import CSV' }).click()
    await page
      .getByLabel('CSV file')
      .setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(file()) })
    await page.getByRole('cell', { name: 'Screen Name' }).waitFor()
    expect(await page.getByLabel('Screen Name maps to').inputValue()).toBe('twitter_handle')
    await page.getByLabel('Screen Name maps to').selectOption('Skip')
    await page.getByText('Choose the column with the handles.').waitFor()
    expect(await page.getByRole('button', { name: 'Import leads' }).isDisabled()).toBe(true)
    await page.getByLabel('Screen Name maps to').selectOption('Handle')
    await page.getByLabel('Groups maps to').selectOption('Tags')
    await page.getByLabel('Contact basis for these leads').selectOption('Customer')
    await page.getByLabel('How do you know?').fill('Our shop')
    await expectSoundPage(page)
    await page.getByRole('button', { name: 'Import leads' }).click()
    await page.getByText('64 leads imported').waitFor()
    await page.getByText('They are on the list people.').waitFor()
    await page.getByRole('link', { name: 'Write to these' }).waitFor()
    await page.getByText('1 row skipped.').waitFor()
    await page.getByRole('cell', { name: 'twitter_handle must be 1 to 15 letters, digits or underscores' }).waitFor()
    await page.getByRole('button', { name: 'Done' }).click()

    // The result survives a reload. A running import shows up after a reload, and can be canceled.
    await page.reload()
    await page.getByRole('button', { name: 'Import CSV' }).click()
    await page.getByText('Last import (people.csv): 64 leads imported, 1 row skipped.').waitFor()
    await expectSoundPage(page)
    await page.getByRole('button', { name: 'Show skipped rows' }).click()
    await page.getByRole('cell', { name: 'twitter_handle must be 1 to 15 letters, digits or underscores' }).waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    const [last] = (await callApi(page, 'GET', '/imports')).imports as object[]
    const slow = { ...last, id: 'slow', status: 'running', stage: 'saving', done: 5_000, of: 20_000, secondsLeft: 130 }
    await page.route('**/api/imports**', (route) => {
      if (route.request().method() === 'POST') slow.status = 'canceled'
      const asksForAll = new URL(route.request().url()).pathname === '/api/imports'
      return route.fulfill({
        json: asksForAll ? { imports: [slow], total: 1, page: 1, pageSize: 1 } : { ...slow, rejected: [] },
      })
    })
    await page.reload()
    await page.getByRole('button', { name: 'Importing, about 2 min left' }).click()
    await page.getByText('5,000 of 20,000 rows · about 2 min left').waitFor()
    await page.getByText('You can close this tab.').waitFor()
    await expectSoundPage(page)
    await page.getByRole('button', { name: 'Stop import' }).click()
    await page.getByText('Import stopped. Nothing was imported.').waitFor()
    await page.unroute('**/api/imports**')
    await page.getByRole('button', { name: 'Cancel' }).click()

    // Ten per page, newest first, at most five page buttons, fallbacks and truncation.
    await page.getByText('1–10 of 64 leads').waitFor()
    expect(await page.getByRole('row').count()).toBe(11)
    await page.getByRole('button', { name: 'Page 7' }).click()
    await page.getByText('61–64 of 64 leads').waitFor()
    await page.getByRole('button', { name: 'Page 4' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Page 6' }).click()
    await page.getByText('51–60 of 64 leads').waitFor()
    expect(await page.getByRole('button', { name: /^Page \d/ }).count()).toBe(4)
    await page.getByRole('button', { name: 'Next' }).click()
    await rowOf(page, 'person_0').getByText('No bio available').waitFor()
    await rowOf(page, 'person_0').getByText('Unknown').waitFor()
    const short = await rowOf(page, 'person_1')
      .getByText(/^Founder of a SaaS/)
      .innerText()
    expect([short.length, short.at(-1)]).toEqual([101, '…'])

    // Changing any filter returns to the first page.
    await page.getByLabel('Keyword').fill('SAAS')
    await page.getByText('1–10 of 26 leads').waitFor()
    expect(new URL(page.url()).search).toBe('?keyword=SAAS')
    await filterBy(page, 'Followers')
    await page.getByLabel('Min followers').fill('1,000')
    await page.getByText('1–10 of 19 leads').waitFor()
    await page.keyboard.press('Escape')
    await filterBy(page, 'Tag', 'VIP')
    await page.getByText('No leads found with the selected filter.').waitFor()
    // A filter chip can be changed and removed.
    await page.getByRole('button', { name: 'Followers 1,000 or more' }).click()
    await page.getByLabel('Max followers').fill('50')
    await page.getByText('Less than the minimum').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Remove filter: Tag' }).click()
    await page.waitForURL('**/leads?keyword=SAAS&minFollowers=1000&maxFollowers=50')
    await page.getByRole('button', { name: 'Clear filters' }).click()

    // Sorting returns to the first page. A filter is saved, applied by name, renamed and deleted.
    await page.getByRole('button', { name: 'Followers', exact: true }).click()
    await page.getByRole('row').nth(1).getByText('@person_62').waitFor()
    await page.getByRole('button', { name: 'Lead', exact: true }).click()
    await page.getByRole('row').nth(1).getByText('@person_0', { exact: true }).waitFor()
    expect(await page.getByRole('columnheader', { name: 'Lead', exact: true }).getAttribute('aria-sort')).toBe(
      'ascending',
    )
    await filterBy(page, 'Contact basis', 'Customer')
    await page.getByRole('button', { name: 'Saved filters' }).click()
    await page.getByRole('menuitem', { name: 'Save this filter' }).click()
    await page.getByRole('button', { name: 'Save filter' }).click()
    await page.getByText('Filter name cannot be empty.').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Customers')
    await page.keyboard.press('Enter')
    await dismissToast(page, 'Filter “Customers” saved')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByRole('button', { name: 'Saved filters' }).click()
    await page.getByRole('menuitem', { name: 'Customers' }).click()
    await page.waitForURL('**/leads?basis=customer&sort=name')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Saved filters' }).click()
    await page.getByRole('menuitem', { name: 'Copy link to this view' }).click()
    await dismissToast(page, 'Link copied')
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      `${world.origin}/leads?basis=customer&sort=name`,
    )
    await page.getByRole('button', { name: 'Saved filters' }).click()
    await page.getByRole('menuitem', { name: 'Save as smart list' }).click()
    const form = page.getByRole('dialog', { name: 'Save as smart list' })
    expect(await form.getByRole('radio').count()).toBe(0)
    expect(await form.getByLabel('Contact basis').inputValue()).toBe('customer')
    await form.getByLabel('List name').fill('All customers')
    await form.getByRole('button', { name: 'Create List' }).click()
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Saved filters')
    await dismissToast(page, 'List “All customers” created.')
    expect((await callApi(page, 'GET', '/lists')).lists).toMatchObject([
      { name: 'All customers', filter: { basis: 'customer' } },
      { name: 'people', filter: null, leadCount: 64 },
    ])
    await page.getByRole('button', { name: 'Saved filters' }).click()
    await page.getByRole('menuitem', { name: 'Manage saved filters' }).click()
    await page.getByRole('button', { name: 'Rename Customers' }).click()
    const newName = page.getByLabel('New name for Customers')
    await expect.poll(() => newName.evaluate((field) => field === document.activeElement)).toBe(true)
    await newName.fill('Buyers')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Delete Buyers' }).click()
    await page.getByRole('button', { name: 'Delete filter' }).click()
    await page.getByText('No saved filters yet.').waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    // Closing the dialog moves the focus to the menu, so wait until it has closed.
    await page.getByRole('dialog').waitFor({ state: 'detached' })

    // Shift with arrow keys or a click selects a range.
    await tick(page, 'person_0').focus()
    await page.keyboard.press('Space')
    await page.keyboard.press('Shift+ArrowDown')
    await page.keyboard.press('Shift+ArrowDown')
    await page.getByText('3 selected').waitFor()
    await page.getByRole('button', { name: 'Clear selection' }).click()
    await tick(page, 'person_0').focus()
    await page.keyboard.press('Shift+ArrowDown')
    await page.getByText('2 selected').waitFor()
    await page.getByRole('button', { name: 'Clear selection' }).click()
    await tick(page, 'person_1').click()
    await tick(page, 'person_4').click({ modifiers: ['Shift'] })
    await page.getByText('4 selected').waitFor()
    await expectSoundPage(page)

    // Tags are created, added and managed.
    await page.getByRole('button', { name: 'Tag', exact: true }).click()
    const tag = page.getByLabel('Find or create a tag')
    await expect.poll(() => tag.evaluate((field) => field === document.activeElement)).toBe(true)
    await page.getByRole('button', { name: 'Create tag' }).click()
    await page.getByText('Tag name cannot be empty.').waitFor()
    await tag.fill('vip')
    await tag.press('Enter')
    await page.getByRole('checkbox', { name: 'VIP', checked: true }).uncheck()
    await tag.fill('fair')
    await tag.press('Enter')
    await page.getByRole('checkbox', { name: 'fair', checked: true }).waitFor()
    await expectSoundPage(page)
    // Enter in the empty field adds the selected tags.
    await expect.poll(() => tag.inputValue()).toBe('')
    await tag.press('Enter')
    await dismissToast(page, 'Tagged 4 leads')
    await rowOf(page, 'person_4').getByText('fair').waitFor()
    await page.getByRole('button', { name: 'More for the selected leads' }).click()
    await page.getByRole('menuitem', { name: 'Manage tags' }).click()
    await page.getByLabel('Color of fair').selectOption('Violet')
    await page.getByRole('button', { name: 'More for VIP' }).click()
    await page.getByRole('menuitem', { name: 'Merge into another' }).click()
    await page.getByLabel('Merge VIP into').selectOption('fair')
    await page.getByRole('button', { name: 'Merge', exact: true }).click()
    await page.getByText('12 leads', { exact: true }).waitFor()
    await expectSoundPage(page)
    await page.getByRole('button', { name: 'Done' }).click()

    // Sets the contact basis of all selected leads.
    await page.getByRole('button', { name: 'More for the selected leads' }).click()
    await page.getByRole('menuitem', { name: 'Set contact basis' }).click()
    await page.getByRole('radio', { name: 'Messaged you first' }).check()
    await page.getByLabel('Since').fill('2026-01-31')
    await expectSoundPage(page)
    await page.getByRole('button', { name: 'Set contact basis' }).click()
    await dismissToast(page, 'Contact basis set for 4 leads')

    // A lead's details and history.
    await page.getByRole('button', { name: 'Contact basis Customer' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Messaged you first' }).click()
    await page.getByText('4 leads', { exact: true }).waitFor()
    await rowOf(page, 'person_2').getByRole('button', { name: 'Person 02' }).click()
    const sheet = page.getByRole('dialog')
    await sheet.getByText('Messaged you first').waitFor()
    await sheet.getByText('Since Jan 31').waitFor()
    await sheet.getByText('Company 2').waitFor()
    await sheet.getByText('Added as a lead').waitFor()
    await sheet.getByText('Tagged fair').waitFor()
    await expectSoundPage(page)
    await sheet.getByRole('button', { name: 'Edit tags' }).click()
    await sheet.getByRole('checkbox', { name: 'fair' }).uncheck()
    await dismissToast(page, 'Removed the tag from 1 lead')
    await sheet.getByRole('button', { name: 'Done' }).click()
    await sheet.getByText('No tags').waitFor()

    // The arrow keys walk through the filtered leads, a section stays collapsed, and a message can
    // start here.
    await sheet.getByRole('status').getByText('2 of 4, Person 02').waitFor()
    await sheet.getByRole('button', { name: 'Next lead' }).press('ArrowDown')
    await sheet.getByRole('heading', { name: 'Person 03' }).waitFor()
    await page.keyboard.press('k')
    await sheet.getByText('2 of 4').waitFor()
    await sheet.getByRole('button', { name: 'Contact basis' }).click()
    await sheet.getByText('Since Jan 31').waitFor({ state: 'hidden' })
    await sheet.getByRole('button', { name: 'Message', exact: true }).click()
    await page.getByRole('dialog', { name: 'Send a DM to @person_2' }).getByRole('button', { name: 'Cancel' }).click()

    // A lead suppressed there can no longer be messaged.
    await sheet.getByRole('button', { name: 'More for @person_2' }).click()
    await page.getByRole('menuitem', { name: 'Suppress' }).click()
    await page.getByRole('button', { name: 'Suppress lead' }).click()
    await page.getByText('1 lead added to the suppression list').waitFor()
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await page.getByText('Undone for 1 lead').waitFor()
    expect((await callApi(page, 'GET', '/suppressions')).total).toBe(0)
    await sheet.waitFor({ state: 'detached' })

    // Deletes and restores all matches, not only this page. Even on a slow machine, typing after
    // 'Clear filters' starts from cleared filters.
    const browser = await page.context().newCDPSession(page)
    await browser.send('Emulation.setCPUThrottlingRate', { rate: 8 })
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByLabel('Keyword').fill('saas')
    await page.waitForURL('**/leads?keyword=saas&sort=name')
    await browser.send('Emulation.setCPUThrottlingRate', { rate: 1 })
    await page.getByText('1–10 of 26 leads').waitFor()
    await page.getByRole('checkbox', { name: 'Select all leads on this page' }).check()
    await page.getByRole('button', { name: 'All 26 messageable leads in this view' }).click()
    await page.getByText('26 selected').waitFor()
    await page.getByRole('button', { name: 'More for the selected leads' }).click()
    await page.getByRole('menuitem', { name: 'Delete leads' }).click()
    await page.getByRole('button', { name: 'Delete leads' }).click()
    await dismissToast(page, '26 leads deleted')
    await page.getByText('No leads found with the selected filter.').waitFor()
    await expectSoundPage(page)
    // The undo survives leaving the page.
    await page.getByRole('link', { name: 'Lists', exact: true }).click()
    await page.waitForURL('**/lists')
    await page.goBack()
    await page.getByRole('button', { name: 'Jobs', exact: true }).click()
    const jobs = page.getByRole('dialog')
    await expectSoundPage(page)
    await jobs.getByRole('listitem').first().getByRole('button', { name: 'Undo' }).click()
    await dismissToast(page, '26 leads restored')
    await jobs.getByText('26 leads restored').waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('1–10 of 26 leads').waitFor()

    // A page number that is too high is handled.
    await page.goto('/leads?keyword=saas&page=9')
    await page.getByText('21–26 of 26 leads').waitFor()

    // The export uses the same filter.
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export CSV' }).click()
    const lines = (await readFile(await (await download).path(), 'utf8')).trim().split('\r\n')
    expect(lines).toHaveLength(27)
    expect(lines[1]).toContain('Person 01')

    // On a phone, in dark mode.
    await page.setViewportSize({ width: 390, height: 844 })
    await page.emulateMedia({ colorScheme: 'dark' })
    await expectSoundPage(page)
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByLabel('Sort by').selectOption('Most followers first')
    await page.waitForURL('**sort=-followerCount')
    await expectSoundPage(page)
    await page.getByRole('button', { name: 'Show leads' }).click()
    await page.getByRole('button', { name: 'More for @person_61' }).click()
    await page.getByRole('menuitem', { name: 'Show details' }).click()
    await page.getByRole('dialog').getByText('Company 61').waitFor()
    await expectSoundPage(page)
  })

  it('tags and deletes all matches and undoes it after a reload', async () => {
    const page = await world.openPage()
    await (await signUp(world, 'mia@example.com')).enter(page)
    const csv = `twitter_handle,name\nana,${'اسم طويل جدا '.repeat(5)}\nbob,Bob\n`
    await callApi(page, 'POST', '/leads/import', csv, 'text/csv')
    await callApi(page, 'POST', '/suppressions', { handles: ['ana', 'bob'] })
    await callApi(page, 'POST', '/tags', { name: 'VIP' })
    await page.goto('/leads')
    await rowOf(page, 'ana').getByText('Suppressed').waitFor()
    expect(await tick(page, 'ana').isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'More for all leads' }).click()
    await page.getByRole('menuitem', { name: 'Tag all 2 leads' }).click()
    await page.getByText('2 leads matching').waitFor()
    await page.getByRole('checkbox', { name: 'VIP' }).check()
    await page.getByRole('button', { name: 'Add tags' }).click()
    await rowOf(page, 'bob').getByText('VIP').waitFor()
    // A long name leaves room for the tag, and is truncated at its end in either text direction.
    const right = (part: Locator) => part.evaluate((element) => element.getBoundingClientRect().right)
    const tagged = rowOf(page, 'ana').getByRole('cell').filter({ hasText: 'VIP' })
    expect(await right(tagged.getByText('VIP'))).toBeLessThan(await right(tagged))
    const name = tagged.getByRole('button').first()
    expect(await right(name.locator('bdi'))).toBeLessThanOrEqual(await right(name))

    // The job continues after leaving the page, and can be undone from another page.
    await page.getByRole('button', { name: 'More for all leads' }).click()
    await page.getByRole('menuitem', { name: 'Delete all 2 leads' }).click()
    await page.getByText('This includes contacted and suppressed leads.').waitFor()
    const started = page.waitForResponse(
      (response) => response.url().endsWith('/api/jobs') && response.status() === 200,
    )
    await page.getByRole('button', { name: 'Delete leads' }).click()
    await started
    await page.goto('/lists')
    await page.getByRole('button', { name: /^Jobs/ }).click()
    const jobs = page.getByRole('dialog')
    await jobs.getByText('2 leads deleted').waitFor()
    await jobs.getByRole('listitem').first().getByRole('button', { name: 'Undo' }).click()
    await jobs.getByText('2 leads restored').waitFor()
    await page.goto('/leads')
    await rowOf(page, 'bob').getByText('VIP').waitFor()

    // A single deleted lead can be restored from the toast.
    await page.getByRole('button', { name: 'More for @bob' }).click()
    await page.getByRole('menuitem', { name: 'Delete lead' }).click()
    await page.getByText('You can undo this for 10 seconds.').waitFor()
    await page.getByRole('button', { name: 'Delete lead' }).click()
    await page.getByText('1 lead deleted').waitFor()
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await page.getByText('1 lead restored').waitFor()
    await rowOf(page, 'bob').getByText('VIP').waitFor()
    await page.close()
  })

  it('continues a job whose tab was closed, and shows it in another one', async () => {
    const page = await world.openPage()
    const { token, enter } = await signUp(world, 'tab@example.com')
    await enter(page)
    const handles = Array.from({ length: 600 }, (_, n) => `tab_${n}`)
    await importLeads(world, token, ['twitter_handle', ...handles])
    await callApi(page, 'POST', '/tags', { name: 'VIP' })
    const release = await world.holdJobs('tab_')
    await page.goto('/leads')
    await page.getByRole('button', { name: 'More for all leads' }).click()
    await page.getByRole('menuitem', { name: 'Tag all 600 leads' }).click()
    await page.getByRole('checkbox', { name: 'VIP' }).check()
    await page.getByRole('button', { name: 'Add tags' }).click()
    await page.getByRole('button', { name: 'Jobs, 1 running' }).waitFor()
    const other = await page.context().newPage()
    await page.close()

    await other.goto('/lists')
    await other.getByRole('button', { name: 'Jobs, 1 running' }).click()
    const jobs = other.getByRole('dialog', { name: 'Jobs' })
    await jobs.getByText(/^[1-5]?\d\d of 600/).waitFor()
    await expectSoundBothWays(other)
    await release()
    await jobs.getByText('Tagged 600 leads').waitFor()
    await jobs.getByRole('button', { name: 'Undo', exact: true }).waitFor()
    await other.keyboard.press('Escape')
    await expect.poll(() => other.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Jobs')
  })

  it('queues DMs, shows leads as queued, and reverts and reports failures', async () => {
    const page = await world.openPage()
    const max = await signUp(world, 'max@example.com')
    await max.enter(page)
    await callApi(page, 'POST', '/session/connect', { username: 'max_sends', password: 'any eight or more' })
    const { leads } = (await callApi(page, 'POST', '/scrape/scrape', {
      twitterHandle: 'f12_max',
      type: 'followers',
      minFollowers: 0,
      maxFollowers: 1_000_000,
      keywords: [],
    })) as { leads: { id: string }[] }
    expect(leads).toHaveLength(12)
    world.expectConsole(/Failed to load resource/)
    const fails = (path: string, status: number, error: string) =>
      page.route(`**/api${path}`, (route) => refuse(route, status, status < 500 ? 'FORBIDDEN' : 'UNAVAILABLE', error))
    // Responds with truncated JSON, as if the connection had broken.
    const garble = (path: string) =>
      page.route(`**/api${path}`, (route) => route.fulfill({ contentType: 'application/json', body: '{"suc' }))

    await page.clock.install()
    await garble('/leads?*')
    await page.goto('/leads')
    await hastenUntil(page, page.getByText('An unexpected error occurred while loading leads'))
    // Offline, only this text is shown. It changes without a click.
    await page.route('**/api/leads?*', (route) => route.abort())
    await page.reload()
    await hastenUntil(page, page.getByText('An unexpected error occurred while loading leads', { exact: true }))
    await fails('/leads?*', 403, 'Not yours')
    await hastenUntil(page, page.getByText('Failed to load leads: Not yours'))
    await page.unroute('**/api/leads?*')
    // An automatic refetch may remove the button first.
    const again = page.getByRole('button', { name: 'Try Again' })
    await expect
      .poll(async () => {
        await again.click({ timeout: 1_000 }).catch(() => {})
        return page.getByText('1–10 of 12 leads').isVisible()
      })
      .toBe(true)
    // The content security policy allows the stand-in's profile pictures.
    await page.waitForFunction(() => [...document.images].some((image) => image.naturalWidth > 0))

    const boxes = page.locator('input[data-lead]')
    const queue = (label = 'Queue DM') =>
      page.getByRole('dialog').getByRole('button', { name: label, exact: true }).click()
    const sendToFirst = async () => {
      await page
        .getByRole('button', { name: /^Send DM to @/ })
        .first()
        .click()
      await queue()
    }
    await fails('/leads/queue', 503, 'Busy')
    await fails('/jobs', 503, 'Busy')
    await boxes.nth(0).check()
    await boxes.nth(1).check()
    await page.getByRole('button', { name: 'Send DM to 2' }).click()
    await queue('Queue 2 DMs')
    await dismissToast(page, 'Failed to queue DMs: Busy')
    expect(await page.getByRole('cell', { name: 'Not sent' }).count()).toBe(10)
    await sendToFirst()
    await dismissToast(page, 'Failed to queue DM: Busy')
    await page.unroute('**/api/leads/queue')
    await page.unroute('**/api/jobs')
    await page.route('**/api/leads/queue', (route) =>
      route.fulfill({ json: { success: true, queued: 0, cursor: null } }),
    )
    const noneQueued = {
      id: 'none',
      kind: 'queue',
      status: 'completed',
      done: 2,
      total: 2,
      changed: 0,
      secondsLeft: null,
      undoUntil: null,
      undoes: null,
      undoneBy: null,
      error: null,
      createdBy: null,
      createdAt: new Date().toISOString(),
    }
    await page.route('**/api/jobs', (route) => route.fulfill({ json: noneQueued }))
    await sendToFirst()
    await dismissToast(page, 'Failed to create DM record: ')
    await boxes.nth(0).check()
    await boxes.nth(1).check()
    await page.getByRole('button', { name: 'Send DM to 2' }).click()
    await queue('Queue 2 DMs')
    await dismissToast(page, 'Failed to create DM records: ')
    await page.unroute('**/api/jobs')
    await page.unroute('**/api/leads/queue')
    await garble('/leads/queue')
    await sendToFirst()
    await dismissToast(page, 'An unexpected error occurred while queueing the DMs')
    expect(await page.getByRole('cell', { name: 'Not sent' }).count()).toBe(10)
    await page.unroute('**/api/leads/queue')

    const last = page.getByRole('button', { name: /^Send DM to @/ }).nth(9)
    await last.click()
    const message = page.getByRole('dialog').getByLabel('Message')
    expect(await message.inputValue()).toBe('Hello! I noticed your profile and wanted to connect.')
    await message.fill('Hi {lead_name}')
    await expectSoundPage(page)
    await queue()
    await dismissToast(page, 'DM has been queued for sending')
    expect(await last.isDisabled()).toBe(true)
    expect(await boxes.nth(9).isDisabled()).toBe(true)
    await boxes.nth(0).check()
    await boxes.nth(2).check()
    await page.getByRole('button', { name: 'Send DM to 2' }).click()
    await queue('Queue 2 DMs')
    await dismissToast(page, '2 DMs have been queued for sending')
    // A sent message is not the text for the next person.
    await page.reload()
    await boxes.nth(4).check()
    await page.getByRole('button', { name: 'Send DM', exact: true }).click()
    expect(await message.inputValue()).toBe('Hello! I noticed your profile and wanted to connect.')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Clear selection' }).click()

    // Queued leads can be selected for everything except messages. The selection stays.
    const includes = page.getByRole('switch', { name: 'Include people already messaged' })
    expect(await boxes.nth(9).getAttribute('title')).toBe('A message to them is already queued.')
    await boxes.nth(4).check()
    await page.keyboard.press('x')
    await page.getByText('1 selected').waitFor()
    expect(await includes.isChecked()).toBe(true)
    await boxes.nth(9).check()
    expect(await page.getByRole('button', { name: 'Send DM to 2' }).isDisabled()).toBe(true)
    await page.getByText('To send, turn off “Include people already messaged”.').waitFor()
    await page.getByRole('checkbox', { name: 'Select all leads on this page' }).check()
    await page.getByRole('button', { name: 'All 12 leads in this view' }).click()
    await page.getByText('12 selected').waitFor()
    await expectSoundPage(page)
    await includes.uncheck()
    await expect.poll(() => boxes.nth(9).isDisabled()).toBe(true)
    await page.getByText(/^\d selected$/).waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('12 leads', { exact: true }).waitFor()

    // The columns, their order and the page size survive a reload.
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('checkbox', { name: 'Location' }).check()
    await page.getByRole('button', { name: 'Move Location' }).press('ArrowUp')
    await page.getByRole('checkbox', { name: 'Bio' }).uncheck()
    await expectSoundPage(page)
    await page.keyboard.press('Escape')
    await page.goto('/leads?page=2')
    await page.getByText('11–12 of 12 leads').waitFor()
    await page.getByLabel('Rows', { exact: true }).selectOption('25')
    await page.getByRole('row').nth(12).waitFor()
    await page.reload()
    await page.getByRole('row').nth(12).waitFor()
    expect(await page.getByRole('columnheader').allInnerTexts()).toEqual([
      '',
      'Lead',
      'Followers',
      'Status',
      'Location',
      'Added',
      'Actions',
    ])
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('button', { name: 'Reset columns' }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('columnheader', { name: 'Bio' }).waitFor()

    await garble('/lists?*')
    await boxes.nth(4).check()
    await page.getByRole('button', { name: 'Add to list' }).click()
    await hastenUntil(page, page.getByText('An error occurred while fetching lists.'))
    await fails('/lists?*', 403, 'Not yours')
    await hastenUntil(page, page.getByText('Failed to fetch your lists: Not yours'))
    await page.unroute('**/api/lists?*')
    await page.getByRole('button', { name: 'Try Again' }).click()
    await page.getByLabel('Name of your first list').fill('Founders')
    await fails('/lists', 503, 'Broken')
    await page.getByRole('button', { name: 'Create List' }).click()
    await page.getByText('Failed to create list. Please try again.').waitFor()
    await page.unroute('**/api/lists')
    await page.getByRole('button', { name: 'Create List' }).click()
    await page.getByRole('radio', { name: 'Founders' }).waitFor()
    const add = page.getByRole('dialog').getByRole('button', { name: 'Add to list' })
    await fails('/lists/*/leads', 503, 'Full')
    await add.click()
    await dismissToast(page, 'Failed to add leads to list: Full')
    await page.unroute('**/api/lists/*/leads')
    await add.click()
    await dismissToast(page, '1 leads added to the list successfully!')

    // Every list can be reached, however many there are.
    await callApi(page, 'POST', '/lists', { name: 'Newer' })
    // The dialog shows lists created elsewhere.
    await boxes.nth(5).check()
    await page.getByRole('button', { name: 'Add to list' }).click()
    await page.getByRole('radio', { name: 'Newer' }).waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    for (const name of ['Made elsewhere', 'Made later']) {
      await callApi(page, 'POST', '/tags', { name })
      await page.getByRole('button', { name: 'Tag', exact: true }).click()
      await page.getByRole('dialog').getByRole('checkbox', { name }).waitFor()
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    }
    await page.route('**/api/lists?*', (route) =>
      route.continue({ url: route.request().url().replace('pageSize=100', 'pageSize=1') }),
    )
    await page.reload()
    await boxes.nth(5).check()
    await page.getByRole('button', { name: 'Add to list' }).click()
    await page.getByRole('radio', { name: 'Newer' }).waitFor()
    await page.getByRole('button', { name: 'Show more lists' }).click()

    // Another tab messages the selected lead, so there is nobody left to add.
    await page.getByRole('radio', { name: 'Founders' }).check()
    expect(await page.getByRole('button', { name: 'Show more lists' }).count()).toBe(0)
    const picked = await boxes.nth(5).getAttribute('data-lead')
    await callApi(page, 'POST', '/leads/queue', { leadIds: [picked] })
    await page.evaluate(() => new BroadcastChannel('x-automated-data').postMessage('changed'))
    await page.getByText('0 leads selected').waitFor()
    await add.click()
    await page.getByText('No leads selected or user not found.').waitFor()
  })

  it('shows viewers everything without forbidden actions, and connecting X only to admins', async () => {
    const page = await world.openPage({ width: 390, height: 844, dark: true })
    await (await signUp(world, 'vera@example.com')).enter(page)
    await callApi(page, 'POST', '/session/connect', { username: 'vera_sends', password: 'any eight or more' })
    await callApi(page, 'POST', '/leads/import', 'twitter_handle,name\nana,Ana Lyst\n', 'text/csv')
    await callApi(page, 'POST', '/lists', { name: 'Analysts' })
    await world.setRole('vera@example.com', 'viewer')
    await (await signIn(world, 'vera@example.com')).enter(page)
    const viewerNotice = "You're a viewer in this workspace, so you can't make changes."
    /** Returns the names of all buttons outside the header and footer. */
    const pressable = () =>
      page
        .getByRole('main')
        .getByRole('button')
        .evaluateAll((all) => all.map((button) => button.ariaLabel ?? button.textContent))

    await page.goto('/leads')
    await page.getByText(viewerNotice).waitFor()
    await page.getByRole('button', { name: 'Show details of @ana' }).click()
    await page.getByRole('dialog').getByText('Added as a lead').waitFor()
    expect(await page.getByRole('dialog').getByRole('button').allInnerTexts()).toEqual([
      '',
      '',
      '',
      'History',
      'Details',
      'Tags',
      'Contact basis',
    ])
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const sorts = ['Lead', 'Status']
    const filters = ['Filter', 'Saved filters']
    expect(await pressable()).toEqual(['Export CSV', ...filters, ...sorts, 'Ana Lyst', 'Show details of @ana'])
    expect(await page.getByRole('checkbox').count()).toBe(0)
    await expectSoundPage(page)
    await page.goto('/lists')
    await page.getByText(viewerNotice).waitFor()
    await page.getByRole('button', { name: 'View Leads' }).waitFor()
    expect(await pressable()).toEqual(['View Leads'])
    await page.goto('/twitter?tab=lists')
    await page.getByText(viewerNotice).waitFor()
    await page.getByRole('button', { name: 'View Leads' }).waitFor()
    expect(await page.getByRole('tabpanel').getByRole('button').allInnerTexts()).toEqual(['View Leads'])
    await page.getByRole('tab', { name: 'X Scraper' }).click()
    // The previous panel may remain for a moment.
    await page.getByRole('tabpanel', { name: 'X Scraper' }).getByText(viewerNotice).waitFor()
    await page.getByRole('tabpanel', { name: 'Lead Lists' }).waitFor({ state: 'detached' })
    expect(await page.getByRole('tabpanel').getByRole('button').count()).toBe(0)
    await page.getByRole('tab', { name: 'Connect X' }).click()
    await page.getByText('Only admins can connect X accounts. Ask an admin of this workspace.').waitFor()
    expect(await page.getByRole('tabpanel').getByRole('button').allInnerTexts()).toEqual(['Refresh status'])
    await expectSoundPage(page)
  })

  it('filters by tags, custom fields, the last contact and rules, if the plan has them', async () => {
    const page = await world.openPage()
    const account = await signUp(world, 'filters@example.com')
    await importLeads(world, account.token, [
      'twitter_handle,Company,Revenue,tags',
      'ana,Acme,1200,"VIP,Cold"',
      'bob,Globex,900,VIP',
      'cat,Acme,,',
    ])
    await account.enter(page)
    await page.goto('/leads')
    await filterBy(page, 'Custom rules…')
    await page.getByText('Custom filtering rules are part of the Agency plan.').waitFor()
    await page.getByRole('link', { name: 'See plans' }).waitFor()
    await page.keyboard.press('Escape')
    await world.subscribe('filters@example.com')
    await page.reload()

    await filterBy(page, 'Several tags', 'Cold')
    await page.getByRole('button', { name: 'VIP', exact: true }).click()
    await page.keyboard.press('Escape')
    await page.getByText('1 lead', { exact: true }).waitFor()
    // A chip emptied while editing stays, and keeps the focus.
    await page.getByRole('button', { name: /^Several tags/ }).click()
    for (const tag of ['VIP', 'Cold']) await page.getByRole('button', { name: tag, exact: true }).click()
    await page.getByText('3 leads', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Cold', exact: true }).click()
    await page.getByText('1 lead', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Remove filter: Several tags' }).press('Enter')
    await page.locator('search:focus').waitFor()
    await filterBy(page, 'Contacted before')
    await page.getByLabel('Contacted before', { exact: true }).fill('2026-01-31')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Remove filter: Contacted before' }).click()
    await filterBy(page, 'Custom field')
    await page.getByRole('button', { name: 'Add filter' }).click()
    await page.getByText('Enter a value.').waitFor()
    await page.getByLabel('Value').fill('acme')
    await page.keyboard.press('Enter')
    await page.getByText('2 leads', { exact: true }).waitFor()

    await filterBy(page, 'Custom rules…')
    const rules = page.getByRole('dialog', { name: 'Custom rules' })
    await rules.getByLabel('Field of rule 1').selectOption('Revenue (custom field)')
    await rules.getByLabel('Operator of rule 1').selectOption('at least (number)')
    await rules.getByRole('button', { name: 'Add group' }).click()
    await rules.getByLabel('Value of rule 2').fill('ana')
    await rules.getByRole('button', { name: 'Apply rules' }).click()
    await rules.getByText('Value is required.').waitFor()
    await rules.getByLabel('Value of rule 1').fill('1000')
    await rules.getByText('1 lead matches').waitFor()
    await expectSoundPage(page)
    await rules.getByRole('button', { name: 'Apply rules' }).click()
    await page.getByText('1 lead', { exact: true }).waitFor()
    // The URL contains all rules.
    await page.reload()
    await page.getByRole('button', { name: 'Custom rules 2 rules' }).click()
    expect(await rules.getByLabel('Value of rule 1').inputValue()).toBe('1000')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Saved filters' }).click()
    await page.getByRole('menuitem', { name: 'Save as smart list' }).click()
    const list = page.getByRole('dialog', { name: 'Save as smart list' })
    await list.getByLabel('List name').fill('Rich')
    await list.getByRole('button', { name: 'Custom rules: 2 rules' }).waitFor()
    await expectSoundPage(page)
    await list.getByRole('button', { name: 'Create List' }).click()
    await page.getByText('List “Rich” created.').waitFor()
    expect(await callApi(page, 'GET', '/lists')).toMatchObject({ lists: [{ name: 'Rich', leadCount: 1 }] })

    await page.getByRole('button', { name: 'Remove filter: Custom rules' }).click()
    await page.getByText('2 leads', { exact: true }).waitFor()
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByRole('button', { name: 'Filter (1)' }).click()
    await page.getByRole('button', { name: 'Custom rules…' }).click()
    await rules.getByRole('button', { name: 'Add rule' }).click()
    await expectSoundPage(page)
  })
})
