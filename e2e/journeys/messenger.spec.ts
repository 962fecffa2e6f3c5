import { createClient } from '@x-automated/contract/client'
import { contract } from '@x-automated/contract/contract'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { expectSoundPage, importLeads, messagesAtX, openWorld, refuse, signUp, type World } from '../world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})

const narrow = (page: Page) => page.setViewportSize({ width: 390, height: 844 })
const wide = (page: Page) => page.setViewportSize({ width: 1280, height: 900 })
const row = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name })
const box = (page: Page, name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true })

it('messages selected leads one by one, reports the results and updates analytics', async () => {
  const person = await signUp(world, 'messenger@example.com')
  const client = createClient({ contract, url: `${world.origin}/api`, tokens: { current: () => person.token } })
  const page = await world.openPage()
  await person.enter(page)

  // Empty states of both tabs.
  await page.goto('/twitter?tab=analytics')
  await page
    .getByText('No analytics data available. Start by connecting your X account and sending messages.')
    .waitFor()
  await expectSoundPage(page)
  await page.getByRole('tab', { name: 'X Messenger' }).click()
  await page.getByText('No leads found. Go to the Twitter Scraper to find leads first.').waitFor()

  // Errors of both tabs.
  world.expectConsole(/status of (403|500)/)
  // A 4xx, because other errors are retried twice before they show.
  await page.route('**/api/messages/leads**', (route) => refuse(route, 403, 'FORBIDDEN', 'Not for you.'))
  await page.route('**/api/analytics**', (route) => refuse(route, 500, 'INTERNAL', 'Not shown.'))
  await page.reload()
  await page.getByText('Failed to fetch leads: Not for you.').waitFor({ timeout: 120_000 })
  await page.getByRole('tab', { name: 'X Analytics' }).click()
  await page.getByText('Failed to load analytics data. Please try again.').waitFor({ timeout: 120_000 })
  await page.unrouteAll()

  const people = ['open_one', 'open_two', 'open_three', 'closed_four', 'open_five', 'open_six']
  await importLeads(world, person.token, [
    'twitter_handle,name',
    ...people.map((handle, i) => `${handle},Person ${i + 1}`),
  ])
  await page.goto('/twitter?tab=messenger')
  await page.getByText('No X account is connected. Connect one to send messages.').waitFor()
  await client.xAccount.connect({ username: 'founder', password: 'long enough' })
  await page.goto('/leads')
  await page.getByRole('link', { name: 'X automation', exact: true }).first().click()
  await page.getByRole('tab', { name: 'X Messenger' }).click()
  await page.getByRole('heading', { name: 'Select Leads (6)' }).waitFor()
  const submit = page.getByRole('button', { name: /^Send DMs to/ })
  const message = page.getByLabel('Message template')
  await expect.poll(() => submit.innerText()).toBe('Send DMs to 0 Leads')
  expect(await submit.isDisabled()).toBe(true)

  // Select all, select none, and missing input.
  await page.getByRole('button', { name: 'Select All' }).click()
  await expect.poll(() => submit.innerText()).toBe('Send DMs to 6 Leads')
  expect(await submit.isDisabled()).toBe(true)
  await page.getByRole('button', { name: 'Deselect All' }).click()
  await page.getByText('Please select at least one lead to message').waitFor()
  await message.focus()
  await page.keyboard.press('Control+Enter')
  await page.getByText('Please enter a message to send').waitFor()

  // Variables are inserted at the cursor; the preview is for the first selected lead.
  await box(page, 'Person 1').check()
  await message.fill('Hi !')
  await message.evaluate((node: HTMLTextAreaElement) => node.setSelectionRange(3, 3))
  await page.getByRole('button', { name: '{{name}}' }).click()
  await message.press('End')
  await page.keyboard.type(' I follow ')
  await page.getByRole('button', { name: '{{handle}}' }).click()
  expect(await message.inputValue()).toBe('Hi {{name}}! I follow {{handle}}')
  const preview = page.getByRole('region', { name: 'Preview' })
  await preview.getByText('Hi Person 1! I follow @open_one').waitFor()
  await message.press('End')
  await page.keyboard.type('{{nick}}')
  await page.getByText('Unknown variable: {{nick}}. Use {{first_name}}, {{name}} or {{handle}}.').waitFor()
  expect(await submit.isDisabled()).toBe(true)
  for (let i = 0; i < 8; i += 1) await page.keyboard.press('Backspace')
  // A pasted message that is too long is not truncated, and cannot be sent.
  const written = await message.inputValue()
  await message.fill('x'.repeat(10_001))
  await page.getByText('At most 10,000 characters.').waitFor()
  expect([(await message.inputValue()).length, await submit.isDisabled()]).toEqual([10_001, true])
  await message.fill(written)

  // One of the three has a closed inbox. The others are messaged.
  await box(page, 'Person 4').check()
  await box(page, 'Person 2').check()
  await expectSoundPage(page)
  world.expectConsole(/status of 409/)
  await submit.click()
  await page.getByText('Sending direct messages... This may take a minute.').waitFor()
  await page.getByText('1 of 3 leads').waitFor()
  await expectSoundPage(page)
  await page.getByText('Successfully sent 2 direct messages (1 failed)').waitFor()
  await row(page, 'Person 1').getByText('Sent', { exact: true }).waitFor()
  await row(page, 'Person 4').getByText('Failed', { exact: true }).waitFor()
  expect(await message.inputValue()).toBe('')
  // The results stay visible, and the message can be used for the next send.
  const results = page.getByRole('table', { name: 'Results of the last send' })
  await results.getByRole('row', { name: /Person 4.*Failed.*X rejected/ }).waitFor()
  await page.getByRole('tab', { name: 'X Analytics' }).click()
  await page.getByRole('tab', { name: 'X Messenger' }).click()
  await results.getByRole('row', { name: /Person 4.*Failed.*X rejected/ }).waitFor()
  await page.getByRole('button', { name: 'Use last message' }).click()
  expect(await message.inputValue()).toBe('Hi {{name}}! I follow {{handle}}')
  await message.fill('')
  expect(await submit.innerText()).toBe('Send DMs to 0 Leads')
  expect((await messagesAtX(world.x)).map(({ to, text }) => `${to}: ${text}`)).toEqual([
    'open_one: Hi Person 1! I follow @open_one',
    'open_two: Hi Person 2! I follow @open_two',
  ])
  // Contacted leads can only be selected on request.
  expect(await box(page, 'Person 1').isDisabled()).toBe(true)
  await page.getByLabel('Include leads already contacted').check()
  expect(await box(page, 'Person 1').isDisabled()).toBe(false)

  // The filter, an empty result, a single failure, and a send that is stopped.
  const filter = page.getByLabel('Filter leads')
  await filter.selectOption('Sent')
  await page.getByRole('heading', { name: 'Select Leads (2)' }).waitFor()
  await filter.selectOption('Failed')
  await page.getByRole('heading', { name: 'Select Leads (1)' }).waitFor()
  await page.getByRole('button', { name: 'Select All' }).click()
  await message.fill('Once more')
  await submit.click()
  await page.getByText('Failed to send any direct messages. Please try again later.').waitFor()
  await page
    .getByRole('status')
    .getByText(/^X rejected the message to @closed_four/)
    .waitFor()
  await filter.selectOption('Pending')
  await page.getByRole('heading', { name: 'Select Leads (3)' }).waitFor()
  await page.getByRole('button', { name: 'Select All' }).click()
  await message.fill('Hello')
  await submit.click()
  await page.getByText('1 of 3 leads').waitFor()
  await page.evaluate(() => history.back())
  await page.getByText('Stop sending and leave?').waitFor()
  await page.getByRole('button', { name: 'Keep sending' }).click()
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await page.getByText(/^Stopped: \d leads? (wasn't|weren't) messaged\.$/).waitFor()
  await narrow(page)
  await expectSoundPage(page)

  // An interrupted send continues after a reload.
  const later = ['open_seven', 'open_eight', 'open_nine']
  await importLeads(world, person.token, ['twitter_handle,name', ...later.map((handle) => `${handle},${handle}`)])
  await page.goto('/leads')
  await page.goto('/twitter?tab=messenger')
  for (const handle of later) await box(page, handle).check()
  await message.fill('Later')
  await submit.click()
  await page.getByText('1 of 3 leads').waitFor()
  await page.evaluate(() => history.back())
  await page.waitForURL('**/leads')
  await page.goto('/twitter?tab=messenger')
  await page.getByText(/^[12] leads? (hasn't|haven't) received “Later” yet\./).waitFor()
  await expectSoundPage(page)
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByText(/^Successfully sent [12] direct messages$/).waitFor()
  expect(
    (await messagesAtX(world.x))
      .filter(({ text }) => text === 'Later')
      .map(({ to }) => to)
      .sort(),
  ).toEqual([...later].sort())
  expect(await page.getByText('You have an unfinished send').isVisible()).toBe(false)

  // Everyone was messaged exactly once.
  const sentTo = (await messagesAtX(world.x)).map(({ to }) => to)
  expect(new Set(sentTo).size).toBe(sentTo.length)

  // Analytics: by campaign, by day, as chart and table, with a reply.
  await fetch(`${world.x.url}/_people/open_one/reply`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ to: 'founder', text: 'Tell me more' }),
  })
  await page.getByRole('tab', { name: 'X Analytics' }).click()
  const figure = (name: string) => page.locator('dl > div').filter({ hasText: name }).locator('dd').first()
  await expect.poll(() => figure('Messages Sent').innerText()).toBe(String(sentTo.length))
  expect(await figure('Total Leads').innerText()).toBe('9')
  expect(await figure('Click Rate').innerText()).toBe('–')
  for (const name of [
    'Messages Delivered',
    'Replies',
    'Reply Rate',
    'Conversion Rate',
    'Weekly Activity',
    'Top Performing Leads',
  ])
    await page.getByText(name, { exact: true }).first().waitFor()
  const answered = page.getByRole('table', { name: 'Top Performing Leads' })
  await answered.getByRole('columnheader', { name: 'Replied on' }).waitFor()
  await answered.getByRole('row', { name: /open_one.*Person 1/ }).waitFor()
  await expectSoundPage(page)
  await page.locator('.recharts-bar-rectangle').first().waitFor()
  await page.getByRole('button', { name: 'Show as table' }).click()
  await page.getByRole('table', { name: 'Messages by day' }).waitFor()
  expect(
    await page
      .getByRole('row')
      .filter({ hasText: String(new Date().getUTCDate()) })
      .first()
      .innerText(),
  ).toContain(String(sentTo.length))
  await page.getByLabel('Time', { exact: true }).selectOption('Custom range')
  await page.getByLabel('First day').fill('2026-01-02')
  await page.getByLabel('Last day').fill('2026-01-01')
  await page.getByText('The last day must not be before the first.').waitFor()
  await page.getByLabel('Last day').fill('2026-01-03')
  await expect.poll(() => figure('Messages Sent').innerText()).toBe('0')
  await expectSoundPage(page)
  await wide(page)
  await page.getByLabel('Time', { exact: true }).selectOption('Last 30 days')
  await page.getByLabel('Campaign').selectOption('Direct messages')
  await expect.poll(() => figure('Messages Sent').innerText()).toBe(String(sentTo.length))
  await page.emulateMedia({ colorScheme: 'dark' })
  await expectSoundPage(page)
  await page.getByRole('tab', { name: 'X Messenger' }).click()
  await page.getByRole('heading', { name: 'Select Leads (9)' }).waitFor()
  await expectSoundPage(page)

  // Advanced analytics names the plan that includes it, before anything can be pressed.
  await page.getByRole('tab', { name: 'X Analytics' }).click()
  await page.getByText('Advanced analytics are part of the Agency plan.').waitFor()
  await page.getByRole('main').getByRole('link', { name: 'See plans' }).first().waitFor()
  await world.subscribe('messenger@example.com')
  await importLeads(world, person.token, ['twitter_handle,name', 'open_ten,Person 10'])
  const [lead] = (await client.leads.list({ keyword: 'open_ten' })).leads
  const list = await client.lists.create({ name: 'One' })
  await client.lists.addLeads({ id: list.id, leadIds: [lead!.id] })
  const campaign = await client.campaigns.create({
    name: 'Spring',
    leadListId: list.id,
    messageTemplate: 'Hi {lead_name}',
    status: 'paused',
  })
  await client.campaigns.queue({ id: campaign.id })
  await expect
    .poll(async () => (await client.campaigns.find({ id: campaign.id })).dmsSentCount, { timeout: 120_000 })
    .toBe(1)
  await page.reload()
  const compared = page.getByRole('table', { name: 'Comparison: Campaigns' })
  await compared.getByRole('row', { name: /Spring 1 people: sent 0 0% 0 0% 0 –/ }).waitFor()
  // The number opens the list of these people.
  await compared.getByRole('button', { name: '1 people: sent' }).click()
  const sheet = page.getByRole('dialog', { name: 'Sent: Spring' })
  await sheet.getByText('Person 10', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await sheet.waitFor({ state: 'detached' })
  await compared.getByRole('button', { name: 'Reply rate', exact: true }).press('Enter')
  await compared.locator('th[aria-sort=descending]').filter({ hasText: 'Reply rate' }).waitFor()
  const heatmap = page.getByRole('table', { name: 'Replies by weekday and hour' })
  await page.getByRole('button', { name: 'Sent', exact: true }).click()
  await expect
    .poll(async () => (await heatmap.getByRole('cell', { name: /^[1-9]/ }).allInnerTexts()).map(Number))
    .toContain(sentTo.length + 1)
  await expectSoundPage(page)
  const downloading = page.waitForEvent('download')
  await page.getByRole('region', { name: 'Compare', exact: true }).getByRole('button', { name: 'Export CSV' }).click()
  expect((await downloading).suggestedFilename()).toMatch(/^analytics-by-campaign-\d{4}-\d\d-\d\d\.csv$/)
  await page.getByLabel('Campaign', { exact: true }).selectOption('Spring')
  await page.getByRole('button', { name: 'Variants', exact: true }).click()
  await page.getByRole('row', { name: /Step 1, variant A/ }).waitFor()
  await narrow(page)
  await expectSoundPage(page)
})
