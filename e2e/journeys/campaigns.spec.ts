import { type Client, createClient } from '@x-automated/contract/client'
import { contract } from '@x-automated/contract/contract'
import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { expectSoundPage, importLeads, linkInMail, openWorld, signUp, type World } from '../world.ts'

let world: World
beforeAll(async () => {
  // The first test sends 8 messages before the campaign "Rest", which therefore stops at the cap after 2.
  world = await openWorld({ DAILY_DM_CAP: '10' })
})

const DESCRIPTION = 'People who build in public and answer'

/** A signed-in page, and an API client for the same account. */
interface Person {
  page: Page
  client: Client
  token: string
}

async function enter(email: string): Promise<Person> {
  const [page, person] = await Promise.all([world.openPage(), signUp(world, email)])
  await person.enter(page)
  const { token } = person
  return {
    page,
    token,
    client: createClient({ contract, url: `${world.origin}/api`, tokens: { current: () => token } }),
  }
}

/** Creates lists from names and handles. */
async function makeLists({ client, token }: Person, lists: Record<string, string[]>) {
  const rows = Object.values(lists)
    .flat()
    .map(
      (handle) =>
        `${handle},${handle.startsWith('closed') ? '' : `Name of ${handle}`},${handle === 'open_a1' ? 'Acme' : ''}`,
    )
  await importLeads(world, token, ['twitter_handle,name,company', ...rows])
  const { leads } = await client.leads.list({ pageSize: 100 })
  const ids: Record<string, string> = {}
  for (const [name, handles] of Object.entries(lists)) {
    const list = await client.lists.create({ name, ...(name === 'Founders' ? { description: DESCRIPTION } : {}) })
    ids[name] = list.id
    const leadIds = handles.map((handle) => leads.find(({ twitterHandle }) => twitterHandle === handle)?.id ?? '')
    if (leadIds.length > 0) await client.lists.addLeads({ id: list.id, leadIds })
  }
  return ids
}

async function setFaults(...faults: object[]) {
  await fetch(`${world.x.url}/_faults`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(faults),
  })
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const row = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(`^${name}`) })

const shows = (locator: Locator, pattern: RegExp) =>
  expect.poll(() => locator.innerText(), { timeout: 120_000 }).toMatch(pattern)

async function fill(page: Page, name: string, list: RegExp, message: string) {
  await page.getByLabel('Campaign Name').fill(name)
  const select = page.getByLabel('Select Lead List')
  const option = await select.locator('option').filter({ hasText: list }).getAttribute('value')
  await select.selectOption(option)
  await page.getByLabel('Message template').fill(message)
}

async function launch(page: Page, name: string, list: RegExp) {
  await fill(page, name, list, 'Hi {lead_name}')
  await button(page, 'Launch Campaign').click()
}

describe('campaigns, in a browser', () => {
  it('runs a campaign from the form to the last message, with every toast', async ({ task }) => {
    const person = await enter('campaigns@example.com')
    const { page, client } = person

    // The empty state.
    await page.goto('/campaigns')
    await page.getByText('No campaigns found. Create one above to get started!').waitFor()
    await page.getByText('No lead lists found. Please create a list first.').waitFor()
    expect(await page.getByRole('link', { name: 'Go to My Lists' }).getAttribute('href')).toBe('/lists')
    await page.getByText('No X account is connected').waitFor()
    for (const name of ['Save and Pause', 'Launch Campaign']) expect(await button(page, name).isDisabled()).toBe(true)
    await expectSoundPage(page)

    // In a retry, the first attempt's account has used up its cap.
    const username = `campaigner${task.result?.retryCount ?? 0}`
    await client.xAccount.connect({ username, password: 'any eight or more' })
    await makeLists(person, {
      Founders: ['open_a1', 'open_a2', 'closed_a3'],
      Batch: ['open_b1', 'open_b2', 'open_b3', 'open_b4', 'open_b5'],
      Rest: ['open_c1', 'open_c2', 'open_c3', 'open_c4'],
      Second: ['open_d1'],
      Empty: [],
    })

    // The form: list and message details, and clearing it.
    await page.reload()
    await page.getByLabel('Campaign Name').fill('Hello')
    await page.getByLabel('Campaign Name').press('Enter')
    await page.getByText('Please fill in all fields: Campaign Name, Select List, and Message.').waitFor()
    // A name that is too long stays, and its field gets the focus.
    world.expectConsole(/status of 400/)
    await fill(page, 'x'.repeat(201), /^Founders/, 'Hi')
    await button(page, 'Save and Pause').click()
    await page.getByText('Name must have at most 200 characters.').waitFor()
    const name = page.getByLabel('Campaign Name')
    await expect.poll(() => name.evaluate((element) => element === document.activeElement)).toBe(true)
    await fill(page, 'Hello', /^Founders \(People who build in public and…\)$/, 'Hi {lead_name} of {compny}')
    await page.getByText('Unknown variable: {compny}.').waitFor()
    await page.getByRole('link', { name: 'Lists', exact: true }).first().click()
    await page.getByRole('heading', { name: 'Lists', level: 1 }).waitFor()
    await page.goBack()
    await page.getByText('Unknown variable: {compny}.').waitFor()
    await button(page, 'Discard').click()
    await page.getByText('Campaign form cleared.').waitFor()
    expect(await page.getByLabel('Campaign Name').inputValue()).toBe('')
    expect(await page.getByLabel('Select Lead List').locator('option').allInnerTexts()).toContain(
      'Empty (No description)',
    )
    const long = `Hi {lead_name} of {company|your team}, ${'I like what you build. '.repeat(6)}`
    await fill(page, 'Hello', /^Founders/, long)
    const preview = page.getByRole('group', { name: 'Preview' })
    await preview.getByText('1 of 3').waitFor()
    await preview.getByLabel('Find a lead to preview').fill('a3')
    await preview.getByText('@closed_a3').first().waitFor()
    await preview.getByText('2 values are missing for this lead').waitFor()
    await expect.poll(() => preview.locator('mark').allInnerTexts()).toEqual(['there', 'your team'])
    await page.getByText('3 people get a message').waitFor()
    await page.getByText('All 3 in one day, done today.').waitFor()
    await page.getByText('1 lead has no {lead_name} and gets the fallback.').waitFor()
    await expectSoundPage(page)
    await button(page, 'Save and Pause').click()
    await page.getByText('Campaign "Hello" saved and paused!').waitFor()
    await shows(row(page, 'Hello'), /Founders\s+Paused\s+0 \/ 0\s+0\s+0\s+–\s+Never/)

    // The search and the status filter both apply.
    await page.getByLabel('Search campaigns').fill('hell')
    await page.getByLabel('Status of campaigns').selectOption('Draft')
    await page.getByText('No campaigns match').waitFor()
    await button(page, 'Show all').click()
    await row(page, 'Hello').waitFor()

    // The campaign page: a test email, an edit while paused, a copy.
    await row(page, 'Hello').getByRole('link', { name: 'Hello' }).click()
    await page.getByText('Saved, nothing queued yet').waitFor()
    await page.getByText("No DMs found for this campaign, or they haven't been processed yet.").waitFor()
    const question = page.getByRole('alertdialog')
    const choose = async (item: string) => {
      const choice = page.getByRole('menuitem', { name: item })
      // A re-render may close a menu that just opened, so click again.
      await expect
        .poll(async () => {
          if (!(await choice.isVisible())) await button(page, 'More').click()
          return await choice.isVisible()
        })
        .toBe(true)
      await choice.click()
      // A click while the menu closes would not open it.
      await page.getByRole('menu').waitFor({ state: 'detached' })
    }
    await choose('Email me a test')
    await page.getByText('Test sent to campaigns@example.com.').waitFor()
    await linkInMail(world.mailbox, 'campaigns@example.com', /^Test message from “Hello”$/)
    await choose('Edit')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Campaign Name').fill('Hello there')
    await expectSoundPage(page)
    await button(page, 'Save').click()
    await page.getByText('Campaign “Hello there” saved.').waitFor()
    await page.getByRole('link', { name: 'Edit messages' }).click()
    await page.getByLabel('Message template').fill(`Dear {lead_name}, ${'I like what you build. '.repeat(6)}`)
    await expectSoundPage(page)
    await button(page, 'Save messages').click()
    await page.getByText('Messages saved.').waitFor()
    await page.getByRole('heading', { name: 'Hello there' }).waitFor()
    await choose('Duplicate')
    await page.getByRole('heading', { name: 'Hello there (copy)' }).waitFor()
    await page.getByText('Not launched yet').waitFor()
    await page.getByRole('link', { name: 'Campaigns' }).last().click()

    // Once resumed, the campaign sends everything and completes.
    await setFaults({ method: 'POST', path: '/2/dm_conversations/with/*/messages', delayMs: 700, times: 3 })
    await row(page, 'Hello there Founders').getByRole('button', { name: 'Resume' }).click()
    await page.getByText('Campaign resumed and set to active.').waitFor()
    await page.getByText('Campaign "Hello there" is now complete!').waitFor()
    await page.getByText('Finished sending DMs for campaign: "Hello there".').waitFor()
    const hello = row(page, 'Hello there Founders')
    await shows(hello, /Completed\s+0 \/ 3\s+2/)
    expect(await hello.getByRole('button').allInnerTexts()).toEqual(['View DMs', ''])

    // Messages: truncated text with a tooltip, the error, and a retry.
    await hello.getByRole('button', { name: 'View DMs' }).click()
    await dialog.getByRole('heading', { name: 'DMs for: Hello there' }).waitFor()
    for (const column of ['Lead Name', 'Twitter', 'Message', 'Status', 'Timestamp', 'Details/Error'])
      await dialog.getByRole('columnheader', { name: column, exact: true }).waitFor()
    const message = dialog.getByRole('button', { name: /^Dear Name of open_a1/ })
    expect((await message.innerText()).length).toBe(101)
    expect(await message.getAttribute('title')).toMatch(/build\. $|build\.$/)
    await dialog.getByText(/^X rejected the message to @closed_a3/).waitFor()
    await expectSoundPage(page)
    await dialog.getByRole('button', { name: 'Retry: @closed_a3' }).click()
    await button(page, 'Retry').last().click()
    await page.getByText('DM to @closed_a3 queued again.').waitFor()
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
    await shows(hello, /Completed/)

    // A browser campaign without an extension, sent by the simulated queue.
    await page.getByLabel('Your browser').check()
    await launch(page, 'Batch', /^Batch/)
    await page.getByText('Chrome runtime API not available in this context.').waitFor()
    await page.getByText('Extension not installed in this browser').waitFor()
    await button(page, 'Process DM Queue (Simulated)').click()
    await page.getByText(/^Processed 5 DMs: \d sent, \d failed\. Campaigns completed: 1\.$/).waitFor()
    await button(page, 'Process DM Queue (Simulated)').click()
    await page.getByText('No queued DMs found to process.').waitFor()

    // A campaign stops at the cap, and the next one waits.
    await launch(page, 'Rest', /^Rest/)
    await page.getByText('Campaign "Rest" launched! 4 DMs queued for 4 leads.').waitFor()
    await shows(row(page, 'Rest'), /Active\s+2 \/ 4\s+2/)
    await row(page, 'Rest')
      .getByText(/^Daily cap reached: nothing will be sent until/)
      .waitFor()
    world.expectConsole(/status of 429/)
    await button(page, 'Process DM Queue (Simulated)').click()
    await page
      .getByText("Error processing queue: This X account's sending limits allow no message right now.")
      .waitFor()
    await launch(page, 'Nobody', /^Empty/)
    await page.getByText('No leads in the selected list to queue DMs for.').waitFor()
    await launch(page, 'Second', /^Second/)
    await page.getByText('Another campaign DM sending process is already active.').waitFor()
    await shows(row(page, 'Second'), /Waiting/)
    await page.reload()
    await row(page, 'Rest').getByRole('button', { name: 'Start Real Send' }).click()
    await page.getByText('“Rest” is already sending. You can close this page.').waitFor()
    await expectSoundPage(page)

    await row(page, 'Rest').getByRole('button', { name: 'Pause' }).click()
    await page.getByText('Campaign paused.').waitFor()

    // A server error reverts each change and shows a message.
    world.expectConsole(/status of (403|429)/)
    // A status that is not retried automatically.
    const broken = { status: 403, json: { success: false, code: 'FORBIDDEN', error: 'Not today.' } }
    const calls = /\/api\/(campaigns|lists)(\?|\/|$)/
    await page.route(calls, (route) => (route.request().method() === 'GET' ? route.fallback() : route.fulfill(broken)))
    await fill(page, 'Never', /^Second/, 'Hi')
    for (const [press, message] of [
      [() => button(page, 'Save and Pause').click(), 'Failed to save campaign:'],
      [() => button(page, 'Launch').click(), 'Failed to launch campaign or queue DMs:'],
      [() => row(page, 'Rest').getByRole('button', { name: 'Resume' }).click(), 'Failed to resume campaign:'],
    ] as const) {
      await press()
      await page.getByText(`${message} Not today.`).waitFor()
    }
    await shows(row(page, 'Rest'), /Paused/)
    await page.unroute(calls)
    // The table refetches when its tab becomes visible, and retries after an error.
    world.expectConsole(/status of 503/)
    const down = { status: 503, json: { success: false, code: 'UNAVAILABLE', error: 'Not now.' } }
    await page.route(calls, (route) => route.fulfill(down))
    await page.evaluate(() => dispatchEvent(new Event('visibilitychange')))
    await page.getByText('Failed to refresh campaigns: Not now.').waitFor()
    await page.unroute(calls)
    await page.getByText('Failed to refresh campaigns: Not now.').waitFor({ state: 'detached' })
    await button(page, 'Discard').click()

    await row(page, 'Rest').getByRole('button', { name: 'Archive' }).click()
    await page
      .getByText('Are you sure you want to archive the campaign "Rest"? This action cannot be easily undone.')
      .waitFor()
    await question.getByRole('button', { name: 'Archive' }).click()
    await page.getByText('Campaign "Rest" archived.').waitFor()
    await expect.poll(() => row(page, 'Rest').getByRole('button').allInnerTexts()).toEqual(['View DMs'])

    // Narrow and dark: cards, the funnel as a table, the log by status.
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.setViewportSize({ width: 390, height: 844 })
    await expectSoundPage(page)
    await row(page, 'Rest').getByRole('link', { name: 'Rest' }).click()
    await page.getByRole('heading', { name: 'Funnel' }).waitFor()
    const funnel = page.getByRole('table', { name: 'Funnel' })
    await shows(funnel.getByRole('row', { name: /^First message/ }), /2\s+people: sent/)
    await funnel.getByRole('button', { name: '2 people: sent' }).click()
    const people = page.getByRole('dialog', { name: 'Sent: First message' })
    await expect.poll(() => people.getByRole('listitem').count()).toBe(2)
    await expectSoundPage(page)
    await people.getByRole('button', { name: 'Close' }).click()
    await page.getByLabel('Status', { exact: true }).selectOption('replied')
    await page.getByText('No DMs with this status.').waitFor()
    await page.getByLabel('Status', { exact: true }).selectOption('sent')
    await expect.poll(() => page.getByRole('table', { name: 'DMs' }).getByRole('row').count()).toBe(3)
    await expectSoundPage(page)

    // Errors have a retry button.
    world.expectConsole(/status of (403|404)/)
    const missing = '01900000-0000-7000-8000-000000000000'
    let requestCount = 0
    page.on('request', (request) => {
      if (request.url().endsWith(`/api/campaigns/${missing}`)) requestCount += 1
    })
    await page.goto(`/campaigns/${missing}`)
    await page.getByText('Campaign not found or access denied').waitFor()
    // The event of an earlier change may cause a request. If the campaign existed, it would be
    // polled every 4 seconds.
    await page.waitForTimeout(3_000)
    requestCount = 0
    await page.waitForTimeout(6_000)
    expect(requestCount).toBe(0)
    const reads = /\/api\/(campaigns|lists)(\?|\/.*\/dms)/
    await page.route(reads, (route) => route.fulfill(broken))
    await page.goto('/campaigns')
    await page.getByText('Failed to fetch campaigns: Not today.').waitFor()
    await page.getByText('Failed to fetch your lead lists: Not today.').waitFor()
    await expectSoundPage(page)
    const { campaigns } = await client.campaigns.list({})
    const batch = campaigns.find(({ name }) => name === 'Batch')
    expect(batch).toMatchObject({ channel: 'extension', status: 'completed' })
    await page.goto(`/campaigns/${batch?.id}`)
    await page.getByText('Failed to fetch DMs for campaign.').waitFor()
    await page.unroute(reads)
    await page.getByRole('button', { name: 'Try Again' }).last().click()
    await page.getByRole('table', { name: 'DMs' }).waitFor()
  })

  it('supports an older extension and names its version', async () => {
    const person = await enter('versions@example.com')
    const { page, client } = person
    await client.xAccount.connect({ username: 'versions', password: 'any eight or more' })
    const { Spring: leadListId = '' } = await makeLists(person, { Spring: ['open_v1'] })
    const draft = { name: 'By the browser', messageTemplate: 'Hi', channel: 'extension' } as const
    const { id } = await client.campaigns.create({ ...draft, leadListId, status: 'draft' })
    await client.campaigns.queue({ id })
    // Older extensions do not report their activity.
    await page.addInitScript(() => {
      const status = { version: '0.0.9', paused: false, pageChanged: null, pairedWith: null, sendsInBackground: false }
      const sendMessage = (_id: string, _request: unknown, reply: (value: unknown) => void) =>
        reply({ success: true, status })
      Object.assign(window, { chrome: { runtime: { sendMessage } } })
    })
    for (const path of ['/campaigns', `/campaigns/${id}`, '/extension']) {
      await page.goto(path)
      await page.getByText("This page doesn't fully support version 0.0.9 of the extension").waitFor()
    }
    await page.getByText("Installed. This page can't tell what it's doing.").waitFor()
    await expectSoundPage(page)
  })

  it('changes nothing if a campaign cannot start because another one is running', async () => {
    const person = await enter('rejected-start@example.com')
    const { page, client } = person
    const { accounts } = await client.xAccount
      .connect({ username: 'starter', password: 'any eight or more' })
      .then(() => client.xAccount.list({}))
    const lists = await makeLists(person, { Running: ['open_s1', 'open_s2', 'open_s3'], Second: ['open_s4'] })
    const limits = { timeZone: 'UTC', workDays: [1, 2, 3, 4, 5, 6, 7], hours: null, warmUp: false, pauseSeconds: null }
    await client.sendingSettings.saveLimits({ ...limits, xAccountId: accounts[0]?.id ?? '', dailyCap: 1 })
    const make = (name: string) =>
      client.campaigns.create({ name, leadListId: lists[name] ?? '', messageTemplate: 'Hi', status: 'paused' })
    const running = await make('Running')
    await client.campaigns.queue({ id: running.id })
    const second = await make('Second')

    await page.goto('/campaigns')
    await shows(row(page, 'Running'), /Active/)
    await row(page, 'Second').getByRole('button', { name: 'Start Real Send' }).click()
    await page.getByText('Another campaign DM sending process is already active. “Running” goes first').waitFor()
    await shows(row(page, 'Second'), /Paused\s+0 \/ 0/)
    expect(await client.campaigns.find({ id: second.id })).toEqual(second)
    await client.campaigns.queue({ id: second.id, holdSeconds: 30 })
    await page.reload()
    await row(page, 'Second').getByRole('button', { name: 'Start Real Send' }).click()
    await page.getByText('Another campaign DM sending process is already active.').waitFor()
    await row(page, 'Second').getByRole('button', { name: 'Undo launch' }).click()
    await page.getByText('Launch of "Second" undone. Nothing was sent.').waitFor()

    await row(page, 'Running').getByRole('button', { name: 'Pause' }).click()
    await page.getByText('Campaign paused.').waitFor()
    await row(page, 'Second').getByRole('button', { name: 'Start Real Send' }).click()
    await page.getByText('Campaign resumed and set to active.').waitFor()
    await shows(row(page, 'Second'), /Active\s+1 \/ 1/)
  })

  it('includes people who replied only if the form says so', async () => {
    const person = await enter('includes-replied@example.com')
    const { page, client } = person
    await client.xAccount.connect({ username: 'includer', password: 'any eight or more' })
    const { Spring: leadListId = '' } = await makeLists(person, { Spring: ['open_i1', 'open_i2'] })
    const first = await client.campaigns.create({ name: 'First', leadListId, messageTemplate: 'Hi', status: 'paused' })
    await client.campaigns.queue({ id: first.id })
    await expect
      .poll(async () => (await client.campaigns.find({ id: first.id })).status, { timeout: 120_000 })
      .toBe('completed')
    const response = await fetch(`${world.x.url}/_people/open_i1/reply`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ to: 'includer', text: 'Tell me more' }),
    })
    expect(response.status).toBe(201)
    await expect
      .poll(async () => (await client.campaigns.find({ id: first.id })).dmsRepliedCount, { timeout: 120_000 })
      .toBe(1)

    await page.goto('/campaigns')
    await fill(page, 'Second', /^Spring/, 'Hi again')
    await page.getByRole('region', { name: 'Pre-flight' }).getByText('Replied to you').waitFor()
    const contacted = page.getByLabel('Include leads contacted by other campaigns')
    const replied = page.getByLabel('Include people who replied to you')
    expect([await contacted.isChecked(), await replied.isChecked()]).toEqual([false, false])
    await contacted.check()
    await page.getByLabel('Your browser').check()
    await button(page, 'Save and Pause').click()
    await page.getByText('Campaign "Second" saved and paused!').waitFor()
    await row(page, 'Second').getByRole('link', { name: 'Second' }).click()
    await page.getByText('Includes leads contacted by other campaigns').waitFor()
    expect(await page.getByText('Includes people who replied to you').count()).toBe(0)
    await button(page, 'More').click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    await page.getByRole('dialog').getByLabel('Include people who replied to you').check()
    await button(page, 'Save').click()
    await page.getByText('Campaign “Second” saved.').waitFor()
    await page.getByText('Includes people who replied to you').waitFor()
    await expectSoundPage(page)
    await page.goto('/campaigns')
    for (const width of [1280, 1279, 1024, 768]) {
      await page.setViewportSize({ width, height: 900 })
      await page.getByRole('columnheader', { name: 'Created' }).waitFor()
      const { right, overflows } = await row(page, 'Second')
        .locator('time')
        .last()
        .evaluate((element) => ({
          right: element.getBoundingClientRect().right,
          overflows: [document.documentElement, element.closest('table')?.parentElement].map((frame) =>
            frame ? frame.scrollWidth - frame.clientWidth : null,
          ),
        }))
      expect([width, ...overflows]).toEqual([width, 0, 0])
      expect(right).toBeLessThanOrEqual(width)
    }
    const { campaigns } = await client.campaigns.list({})
    const second = campaigns.find(({ name }) => name === 'Second')
    expect(second).toMatchObject({ allowRepeat: true, allowReplied: true })
    await client.campaigns.queue({ id: second?.id ?? '' })
    const { dms } = await client.campaigns.dms({ id: second?.id ?? '' })
    expect(dms.map(({ status }) => status)).toEqual(['queued', 'queued'])
  })

  it('stops messages to leads who reply, and suppresses those who opt out', async () => {
    const person = await enter('replies@example.com')
    const { page, client } = person
    await client.xAccount.connect({ username: 'replier', password: 'any eight or more' })
    const [account] = (await client.xAccount.list({})).accounts
    await client.xAccount.consent({ id: account?.id ?? '', storesConversations: true, offersUnknownSenders: false })
    const [talker, stopper, quiet] = ['open_r1', 'open_r2', 'open_r3'] as const
    const { Spring: leadListId = '' } = await makeLists(person, { Spring: [talker, stopper, quiet] })
    const launched = async (name: string, channel: 'api' | 'extension') => {
      const draft = { name, messageTemplate: 'Hi {lead_name}', allowRepeat: true }
      const { id } = await client.campaigns.create({ ...draft, leadListId, channel, status: 'draft' })
      await client.campaigns.queue({ id })
      return id
    }
    const first = await launched('First', 'api')
    // This campaign is sent by a browser, so its messages are still queued when the replies arrive.
    const later = await launched('Later', 'extension')
    const dm = (handle: string) =>
      page
        .getByRole('table', { name: 'DMs' })
        .getByRole('row')
        .filter({ hasText: `@${handle}` })
    const reply = (handle: string, text: string) =>
      fetch(`${world.x.url}/_people/${handle}/reply`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ to: 'replier', text }),
      })

    await page.goto(`/campaigns/${first}`)
    for (const handle of [talker, stopper, quiet]) await shows(dm(handle), /Sent|Delivered/)
    await reply(talker, 'Tell me more')
    await reply(stopper, 'Please stop writing to me')
    for (const handle of [talker, stopper]) await dm(handle).getByText('Replied', { exact: true }).waitFor()
    await shows(dm(talker), /Reply:\s*Tell me more/)
    await shows(dm(stopper), /Please stop writing to me\s*Opted out/)
    await shows(page.getByRole('table', { name: 'Funnel' }).getByRole('row').last(), /2\s+people: replied\s+67%/)

    await page.goto(`/campaigns/${later}`)
    await dm(talker).getByText('Skipped: this person has replied.').waitFor()
    await dm(stopper).getByText('Skipped: this person has opted out.').waitFor()
    await dm(quiet).getByText('Queued', { exact: true }).waitFor()

    // Both leads are now marked wherever else they could be messaged.
    await page.goto('/lists')
    await row(page, 'Spring').getByRole('button', { name: 'View Leads' }).click()
    const inList = (handle: string) => page.getByRole('dialog').getByRole('row').filter({ hasText: handle })
    await shows(inList(talker), /Replied/)
    await shows(inList(stopper), /Suppressed/)
    await page.goto('/settings?tab=suppression-list')
    await page.getByText('1 person suppressed').waitFor()
    await page.getByText(`@${stopper}`).waitFor()
    const again = await launched('Again', 'extension')
    const { dms } = await client.campaigns.dms({ id: again, status: 'failed' })
    expect(dms.map(({ lead, errorMessage }) => [lead?.twitterHandle, errorMessage])).toContainEqual([
      stopper,
      'Skipped: this person has opted out.',
    ])
    const leadId = dms.find(({ lead }) => lead?.twitterHandle === stopper)?.lead?.id ?? ''
    const byHand = { leadId, message: 'Hi', templateVariables: { name: '', handle: stopper }, allowRepeat: true }
    await expect(client.messages.send(byHand)).rejects.toMatchObject({ code: 'LEAD_STATE' })
  })

  it('keeps a campaign that is being written, whatever happens to its page', async () => {
    const person = await enter('drafts@example.com')
    const { page, client } = person
    await makeLists(person, { Founders: ['open_d1'], Other: ['open_d2'] })
    await page.goto('/campaigns')
    await fill(page, 'Saturday', /Founders/, 'Hi {first_name}, ')
    await page.getByText(/^Draft saved \d/).waitFor()

    const expectWritten = async (message: string) => {
      await expect.poll(() => page.getByLabel('Message template').inputValue()).toBe(message)
      expect(await page.getByLabel('Campaign Name').inputValue()).toBe('Saturday')
      await page.getByText('1 lead', { exact: true }).waitFor()
    }
    // Text survives a reload before the draft is saved, which waits for a pause in typing.
    await page.getByLabel('Message template').fill('Hi {first_name}, how are you?')
    await page.reload()
    await expectWritten('Hi {first_name}, how are you?')
    // Text survives a visit to another page.
    await page.getByRole('link', { name: 'Leads', exact: true }).first().click()
    await page.getByRole('heading', { name: 'Leads', level: 1 }).waitFor()
    await page.goBack()
    await expectWritten('Hi {first_name}, how are you?')
    // Text typed offline survives a reload after reconnecting.
    world.expectConsole(/ERR_INTERNET_DISCONNECTED/)
    await page.context().setOffline(true)
    await page.getByLabel('Message template').fill('Typed offline')
    await page.getByText('Saved in this browser only.').waitFor()
    await page.context().setOffline(false)
    await page.getByText(/^Draft saved \d/).waitFor()
    await page.reload()
    await expectWritten('Typed offline')
    // A draft changed on another device: the newer version is loaded only after confirmation.
    const [draft] = (await client.campaignDrafts.list()).drafts
    const stored = await client.campaignDrafts.find({ id: draft!.id })
    const { updatedAt: _, ...fields } = stored
    await client.campaignDrafts.save({ ...fields, name: 'Sunday' })
    world.expectConsole(/409.*campaign-drafts/)
    await page.getByLabel('Message template').fill('Typed here')
    await page.getByText(/^This draft was changed in another tab/).waitFor()
    await expectSoundPage(page)
    await button(page, 'Load that version').click()
    await expect.poll(() => page.getByLabel('Campaign Name').inputValue()).toBe('Sunday')
    // Saving the campaign deletes the draft.
    await button(page, 'Save and Pause').click()
    await page.getByText('Campaign "Sunday" saved and paused!').waitFor()
    expect((await client.campaignDrafts.list()).drafts).toEqual([])
    await page.reload()
    await row(page, 'Sunday').waitFor()
    expect(await page.getByLabel('Message template').inputValue()).toBe('')
    // After signing out, nothing is left in the browser.
    await page.getByLabel('Message template').fill('A secret plan')
    await page.getByText(/^Draft saved \d/).waitFor()
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).toContain('A secret plan')
    await page.getByRole('button', { name: 'Profile menu' }).click()
    await page.getByRole('menuitem', { name: 'Logout' }).click()
    await page.waitForURL(`${world.origin}/`)
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toContain('A secret plan')
  })
})
