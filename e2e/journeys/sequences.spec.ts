import { type Client, createClient } from '@x-automated/contract/client'
import { contract } from '@x-automated/contract/contract'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import {
  expectSoundBothWays,
  expectSoundPage,
  importLeads,
  messagesAtX,
  openWorld,
  type SignedUp,
  signUp,
  type World,
} from '../world.ts'

let world: World
let talks: { signedUp: SignedUp; id: string }
beforeAll(async () => {
  world = await openWorld()
  // Created first, because its follow-ups become due while the other tests run.
  talks = await startTwoSteps()
})

interface Person {
  page: Page
  client: Client
  token: string
}

async function enter(name: string, options?: { plan?: 'agency' | 'free'; connected?: boolean }): Promise<Person> {
  const [page, person] = await Promise.all([world.openPage(), join(name, options)])
  await person.signedUp.enter(page)
  return { page, ...person }
}

async function join(name: string, { plan = 'agency', connected = true } = {}) {
  const email = `${name}@example.com`
  const signedUp = await signUp(world, email)
  if (plan === 'agency') await world.subscribe(email)
  const { token } = signedUp
  const client = createClient({ contract, url: `${world.origin}/api`, tokens: { current: () => token } })
  if (connected) await client.xAccount.connect({ username: name, password: 'any eight or more' })
  return { signedUp, client, token }
}

/** Creates a list of people with these handles. */
async function makeList({ client, token }: Omit<Person, 'page'>, name: string, handles: string[]): Promise<string> {
  await importLeads(world, token, ['twitter_handle,name', ...handles.map((handle) => `${handle},Name of ${handle}`)])
  const { leads } = await client.leads.list({ pageSize: 100 })
  const { id } = await client.lists.create({ name })
  const leadIds = leads.filter(({ twitterHandle }) => handles.includes(twitterHandle)).map((lead) => lead.id)
  await client.lists.addLeads({ id, leadIds })
  return id
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const variant = (page: Page, name: string) => page.getByRole('button', { name: new RegExp(`^Variant ${name}`) })
const textOf = (messageTemplate: string) => ({ variants: [{ messageTemplate }] })

/** Launches two messages, a minute apart, to two people. One of them replies to the first. */
async function startTwoSteps() {
  const person = await join('talker')
  const [account] = (await person.client.xAccount.list()).accounts
  const consent = { storesConversations: true, offersUnknownSenders: false }
  await person.client.xAccount.consent({ id: account?.id ?? '', ...consent })
  const leadListId = await makeList(person, 'Founders', ['open_talks', 'open_quiet'])
  const steps = [textOf('Hi'), { ...textOf('Still there?'), delay: { amount: 1, unit: 'minutes' as const } }]
  const { id } = await person.client.campaigns.create({ name: 'Two steps', leadListId, steps, status: 'draft' })
  await person.client.campaigns.queue({ id })
  await vi.waitFor(async () => expect(await sentBy('talker')).toHaveLength(2), { timeout: 120_000, interval: 200 })
  await fetch(`${world.x.url}/_people/open_talks/reply`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ to: 'talker', text: 'Tell me more' }),
  })
  return { signedUp: person.signedUp, id }
}

const sentBy = async (sender: string) => (await messagesAtX(world.x)).filter(({ from }) => from === sender)

/** Presses a key until an element with this name has the focus. */
async function tabTo(page: Page, name: string | RegExp, key = 'Tab') {
  for (let tries = 0; tries < 80; tries += 1) {
    await page.keyboard.press(key)
    const focused = page.locator(':focus')
    const label = await focused.evaluate(
      (element) =>
        element.getAttribute('aria-label') ??
        (element as HTMLInputElement).labels?.[0]?.textContent ??
        element.textContent ??
        '',
    )
    if (typeof name === 'string' ? label === name : name.test(label)) return
  }
  throw new Error(`no element named ${name}`)
}

describe('sequences, in a browser', () => {
  it('writes three steps with two variants by keyboard only', async () => {
    const person = await enter('keyboard')
    const { page, client } = person
    await makeList(person, 'Founders', ['open_k1', 'open_k2'])
    await makeList(person, 'Makers', ['open_k3'])
    await page.goto('/campaigns')
    await page.getByLabel('Select Lead List').locator('option').nth(2).waitFor({ state: 'attached' })
    const { keyboard } = page
    await tabTo(page, /^Campaign Name/)
    await keyboard.type('By keyboard')
    await tabTo(page, /^Select Lead List/)
    await keyboard.press('Enter')
    await page.getByRole('option', { name: /^Founders/ }).waitFor()
    await keyboard.press('ArrowDown')
    await keyboard.press('Enter')
    await expect.poll(() => page.getByLabel('Select Lead List').inputValue()).not.toBe('')
    await tabTo(page, 'Add variant')
    await keyboard.press('Enter')
    // A new step gets the focus.
    await keyboard.type('Second {lead_name}')
    await page.getByRole('group', { name: 'Preview' }).getByText('Second Name of').waitFor()
    await tabTo(page, /^Variant A/, 'Shift+Tab')
    await keyboard.press('Enter')
    await tabTo(page, /^Message template/)
    await keyboard.type('First {lead_name}')
    await tabTo(page, /^Test:/)
    await keyboard.press('Enter')
    await tabTo(page, 'Share of A')
    await keyboard.type('3')
    await page.getByRole('button', { name: /^Variant A \d+%$/ }).waitFor()
    for (const text of ['Third text', 'Second text']) {
      await tabTo(page, 'Add follow-up')
      await keyboard.press('Enter')
      await keyboard.type(text)
    }
    await page.getByRole('group', { name: 'Preview' }).getByText('Third text').waitFor()
    // Moves the last step to second place.
    await tabTo(page, 'Move follow-up 2', 'Shift+Tab')
    await keyboard.press('ArrowUp')
    await page.getByText('Moved to position 2 of 3.').waitFor()
    expect(await page.locator(':focus').getAttribute('aria-label')).toBe('Move follow-up 1')
    await expectSoundBothWays(page)
    await tabTo(page, 'Save and Pause')
    await keyboard.press('Enter')
    await page.getByText('Campaign "By keyboard" saved and paused!').waitFor()
    const { campaigns } = await client.campaigns.list({})
    const { steps } = await client.sequences.find({ id: campaigns[0]?.id ?? '' })
    expect(steps.map(({ variants }) => variants.map(({ messageTemplate }) => messageTemplate))).toEqual([
      ['First {lead_name}', 'Second {lead_name}'],
      ['Second text'],
      ['Third text'],
    ])
  })

  it('removes a step and a variant with undo, and shows a problem at its message', async () => {
    const person = await enter('problems')
    const { page } = person
    await makeList(person, 'Founders', ['open_p1'])
    await page.goto('/campaigns')
    // The only list is preselected, and names the campaign.
    await expect.poll(() => page.getByLabel('Campaign Name').inputValue()).toMatch(/^Founders, /)
    await page.getByLabel('Campaign Name').fill('With a problem')
    const message = page.getByLabel('Message template')
    await message.fill('Hi {lead_name}')
    await button(page, 'Add follow-up').click()
    await page.getByLabel('Follow-up', { exact: true }).fill('One more thought')
    await button(page, 'More for follow-up').click()
    await page.getByRole('menuitem', { name: 'Remove follow-up' }).click()
    await page.getByLabel('Follow-up', { exact: true }).waitFor({ state: 'detached' })
    await button(page, 'Undo').click()
    await expect.poll(() => page.getByLabel('Follow-up', { exact: true }).inputValue()).toBe('One more thought')
    await button(page, 'Add variant').first().click()
    await message.fill('From {compny}')
    await button(page, 'More for first message').click()
    await page.getByRole('menuitem', { name: 'Remove variant B' }).click()
    await variant(page, 'B').waitFor({ state: 'detached' })
    await button(page, 'Undo').click()
    await expect.poll(() => message.inputValue()).toBe('From {compny}')
    await variant(page, 'A').click()
    world.expectConsole(/status of 400/)
    await button(page, 'Save and Pause').click()
    // The variant with the problem is opened.
    await page.getByRole('alert').getByText('{compny}').waitFor()
    expect(await message.inputValue()).toBe('From {compny}')
    expect(await message.getAttribute('aria-invalid')).toBe('true')
    await expect.poll(() => message.evaluate((element) => element === document.activeElement)).toBe(true)
    await message.fill('From {company|you}')
    expect(await message.getAttribute('aria-invalid')).toBeNull()
    await button(page, 'Save and Pause').click()
    await page.getByText('Campaign "With a problem" saved and paused!').waitFor()
  })

  it('launches for as many people as the Free plan allows, and for the others after an upgrade', async () => {
    const person = await enter('free', { plan: 'free' })
    const { page, client } = person
    await page.goto('/campaigns')
    // One lock says what the plan does not include.
    await button(page, 'Follow-ups, A/B variants, and re-engagement').click()
    await page.getByText(/^Your Free plan includes 1 step per campaign\. Upgrade to Pro for 3\./).waitFor()
    for (const name of ['Add follow-up', 'Add variant', 'Add re-engagement'])
      expect(await button(page, name).count(), name).toBe(0)
    await expectSoundPage(page)
    await page.keyboard.press('Escape')

    await importLeads(world, person.token, ['twitter_handle', ...Array.from({ length: 100 }, (_, n) => `open_f${n}`)])
    const { id: leadListId } = await client.lists.create({ name: 'Everyone' })
    await client.lists.addLeads({ id: leadListId, filter: {} })
    const { id } = await client.campaigns.create({ name: 'Parts', leadListId, steps: [textOf('Hi')], status: 'draft' })
    await page.goto(`/campaigns/${id}`)
    await page.getByText(/^50 now, 50 on \w+ 1$/).waitFor()
    await expectSoundBothWays(page)
    // In a retry, the first attempt's messages are already there.
    const sentEarlier = await sentBy('free')
    await button(page, 'Launch').click()
    // The launch can be undone for 10 seconds, but a busy machine draws few frames in that time.
    const launched = page.locator('.Toastify__toast', {
      hasText: 'Campaign "Parts" launched! 50 DMs queued for 100 leads.',
    })
    await launched.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Launch of "Parts" undone. Nothing was sent.').waitFor()
    expect(await sentBy('free')).toEqual(sentEarlier)

    // Press a key instead of clicking: a toast may cover the button.
    await button(page, 'Launch').press('Enter')
    const queued = async () => (await client.campaigns.dms({ id })).total
    await expect.poll(queued).toBe(50)
    await page.getByText(/The other 50 follow on .+ or when you upgrade\./).waitFor()
    await world.subscribe('free@example.com')
    await world.runJob('launch-parts')
    await expect.poll(queued, { timeout: 120_000 }).toBe(100)
    await page.getByText(/The other \d+ follow/).waitFor({ state: 'detached' })
  })

  it('says why a browser without reply detection cannot send follow-ups', async () => {
    const person = await enter('blind', { connected: false })
    const { page, client } = person
    const leadListId = await makeList(person, 'Founders', ['open_n1'])
    const steps = [textOf('Hi'), { ...textOf('Later'), delay: { amount: 1, unit: 'days' as const } }]
    const { id } = await client.campaigns.create({
      name: 'By browser',
      leadListId,
      steps,
      channel: 'extension',
      status: 'draft',
    })
    await page.goto(`/campaigns/${id}`)
    world.expectConsole(/status of 409/)
    await button(page, 'Launch').click()
    await page.getByText(/^Failed to launch campaign or queue DMs: .*repl/).waitFor()
  })

  it('changes a running campaign for everyone not sent the step, or only for people sent nothing', async () => {
    const person = await enter('editor')
    const { page, client } = person
    const { accounts } = await client.xAccount.list({})
    const limits = { timeZone: 'UTC', workDays: [1, 2, 3, 4, 5, 6, 7], hours: null, warmUp: false, pauseSeconds: null }
    await client.sendingSettings.saveLimits({ ...limits, xAccountId: accounts[0]?.id ?? '', dailyCap: 1 })
    const leadListId = await makeList(person, 'Founders', ['open_e1', 'open_e2', 'open_e3'])
    const { id } = await client.campaigns.create({
      name: 'Edited',
      leadListId,
      steps: [{ variants: ['Hi', 'Hey'].map((messageTemplate) => ({ messageTemplate })) }],
      status: 'draft',
    })
    await client.campaigns.queue({ id })
    await expect.poll(async () => (await client.campaigns.find({ id })).dmsSentCount, { timeout: 120_000 }).toBe(1)

    const messages = async () => {
      const { dms } = await client.campaigns.dms({ id })
      return dms.map(({ status, message }) => `${status}: ${message}`)
    }
    const [sent] = (await messages()).filter((message) => message.startsWith('sent'))
    await page.goto(`/campaigns/${id}`)
    const funnel = page.getByRole('table', { name: 'Funnel' })
    await funnel.getByRole('button', { name: '1 people: sent' }).waitFor()
    await page.getByRole('heading', { name: 'A/B test, first message' }).waitFor()
    await page.getByRole('listbox', { name: 'Messages of the past and the next 24 hours' }).waitFor()
    // The flight board's shortcuts work unless someone is typing.
    await page.keyboard.press('h')
    const paused = await page.getByText(/^Messages to Name of open_e\d paused\.$/).innerText()
    await button(page, 'Resume').click()
    await page.getByText(paused.replace('paused', 'resumed'), { exact: true }).waitFor()
    await expectSoundBothWays(page)

    // People who have not been sent the message get the change, whichever option is chosen.
    const message = page.getByLabel('Message template')
    const saved = page.getByText('Messages saved.')
    await page.getByRole('link', { name: 'Edit messages' }).click()
    await variant(page, 'B').click()
    await button(page, 'More for first message').click()
    await page.getByRole('menuitem', { name: 'Remove variant B' }).click()
    await message.fill('Hello')
    await page.getByText('This reaches 2 people.').waitFor()
    await expectSoundBothWays(page)
    await button(page, 'Save messages').click()
    await saved.waitFor()
    expect((await messages()).sort()).toEqual(['queued: Hello', 'queued: Hello', sent])
    await saved.waitFor({ state: 'detached' })

    await page.getByRole('link', { name: 'Edit messages' }).click()
    await message.fill('Good day')
    await page.getByLabel("Only people who haven't been sent anything").check()
    await page.getByText('This reaches 2 people.').waitFor()
    // Someone else saves first, but nothing is lost.
    const { version } = await client.sequences.find({ id })
    await client.sequences.save({ id, version, steps: [textOf('Theirs')] })
    world.expectConsole(/status of 409/)
    await button(page, 'Save messages').click()
    const conflict = page.getByText('Someone else has changed these messages')
    await conflict.waitFor()
    expect(await conflict.evaluate((text) => text.getBoundingClientRect().top)).toBeGreaterThan(0)
    expect(await message.inputValue()).toBe('Good day')
    await button(page, 'Load their version').click()
    const loaded = page.getByRole('alert').filter({ hasText: 'Latest version loaded.' })
    // Hovering keeps the toast open.
    await loaded.hover()
    await expect.poll(() => message.inputValue()).toBe('Theirs')
    await loaded.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => message.inputValue()).toBe('Good day')
    await button(page, 'Save messages').click()
    await saved.waitFor()
    expect((await messages()).sort()).toEqual(['queued: Good day', 'queued: Good day', sent])

    // Pauses one person, from the list behind a number.
    await button(page, 'All people').click()
    const people = page.getByRole('dialog', { name: 'People in this campaign' })
    await people
      .getByRole('button', { name: /^Pause/ })
      .first()
      .click()
    await people.getByRole('button', { name: /^Resume/ }).waitFor()
    await expectSoundPage(page)
    await page.keyboard.press('p')
    await people.getByRole('button', { name: 'Close' }).click()
    await people.waitFor({ state: 'detached' })
    expect((await client.campaigns.find({ id })).status).toBe('active')
    await page.keyboard.press('p')
    await page.getByText('Campaign paused.').waitFor()
    await button(page, 'Undo').click()
    await page.getByText('Campaign resumed and set to active.').waitFor()
    expect((await client.campaigns.find({ id })).status).toBe('active')
  })

  it('stops the follow-up of someone who replies', async () => {
    const page = await world.openPage()
    await talks.signedUp.enter(page)
    const { id } = talks
    await page.goto(`/campaigns/${id}`)
    await page.getByRole('table', { name: 'DMs' }).getByText('Tell me more').waitFor()
    // Everyone else gets the follow-up.
    const followUp = page.getByRole('table', { name: 'Funnel' }).getByRole('row', { name: /^Follow-up/ })
    await followUp.getByRole('button', { name: '1 people: sent' }).waitFor({ timeout: 300_000 })
    const texts = async (handle: string) =>
      (await sentBy('talker')).filter(({ to }) => to === handle).map(({ text }) => text)
    expect(await texts('open_quiet')).toEqual(['Hi', 'Still there?'])
    expect(await texts('open_talks')).toEqual(['Hi'])
    const download = page.waitForEvent('download')
    await button(page, 'Export CSV').click()
    expect((await download).suggestedFilename()).toMatch(/^campaign-results-.+\.csv$/)
    await button(page, 'All people').click()
    const people = page.getByRole('dialog', { name: 'People in this campaign' })
    await people.getByRole('listitem').filter({ hasText: 'open_talks' }).getByText('Replied').waitFor()
    await expectSoundBothWays(page)
    await people.getByRole('button', { name: 'Close' }).click()
    await page
      .getByRole('row', { name: /Still there\?/ })
      .getByText('Step 2, variant A')
      .waitFor()
    await expectSoundBothWays(page)
    await page.getByRole('link', { name: 'Name of open_talks' }).click()
    await page.getByRole('dialog', { name: 'Name of open_talks' }).getByText('Tell me more').first().waitFor()
  })
})
